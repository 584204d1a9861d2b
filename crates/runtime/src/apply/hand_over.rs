//! Takes over the fields of the old operator.
//!
//! The old operator wrote its children with updates and still owns every field that it set. Server-side apply removes
//! only fields of its own manager, so unwanted environment variables, annotations or `binaryData` of the old operator
//! would stay. Therefore the operator takes over the entries of the old operator in `managedFields` before its first
//! apply, as `kubectl` does when it migrates from client-side to server-side apply.

use super::amend::amend;
use crate::{ReconcileError, cluster::api_of, error::Verb};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use kube::{
    Api, Client,
    core::{ApiResource, DynamicObject, ObjectMeta},
};
use plan::ObjectKey;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Makes `manager` the owner of every field of the object `stored` that belongs to one of `predecessors`. Also
/// removes the owner references with these uids, because the API server refuses two controllers.
pub(crate) async fn hand_over(
    client: &Client,
    resource: &ApiResource,
    stored: (&ObjectKey, &ObjectMeta),
    manager: &str,
    predecessors: &BTreeSet<String>,
    given_up: &[String],
) -> Result<(), ReconcileError> {
    let (key, meta) = stored;
    let mut operations = Vec::new();
    let entries = meta.managed_fields.clone().unwrap_or_default();
    if let Some(entries) = handed_over(entries, manager, predecessors) {
        operations.push(json!({"op": "replace", "path": "/metadata/managedFields", "value": entries}));
    }
    if !given_up.is_empty() {
        let mut owners = meta.owner_references.clone().unwrap_or_default();
        owners.retain(|owner| !given_up.contains(&owner.uid));
        operations.push(json!({"op": "replace", "path": "/metadata/ownerReferences", "value": owners}));
    }
    let api: Api<DynamicObject> = api_of(client, resource, key)?;
    amend(&api, (Verb::Adopt, key), manager, meta.resource_version.as_deref(), operations).await?;
    tracing::info!(object = %key, "took over the fields of the old operator");
    Ok(())
}

/// The entries after the hand-over, or `None` if the predecessors own no fields.
fn handed_over(
    entries: Vec<ManagedFieldsEntry>,
    manager: &str,
    predecessors: &BTreeSet<String>,
) -> Option<Vec<ManagedFieldsEntry>> {
    let whole_object =
        |entry: &ManagedFieldsEntry| entry.subresource.as_deref().unwrap_or_default().is_empty();
    let is_predecessors = |entry: &ManagedFieldsEntry| {
        entry.operation.as_deref() == Some("Update")
            && whole_object(entry)
            && entry.manager.as_ref().is_some_and(|name| predecessors.contains(name))
    };
    let is_ours = |entry: &ManagedFieldsEntry| {
        entry.operation.as_deref() == Some("Apply")
            && whole_object(entry)
            && entry.manager.as_deref() == Some(manager)
    };
    if !entries.iter().any(is_predecessors) {
        return None;
    }
    let (merged, mut kept): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| is_predecessors(entry) || is_ours(entry));
    let mut ours = ManagedFieldsEntry {
        manager: Some(manager.into()),
        operation: Some("Apply".into()),
        fields_v1: Some(FieldsV1(json!({}))),
        ..merged.first().cloned().unwrap_or_default()
    };
    if let Some(fields) = &mut ours.fields_v1 {
        merged
            .into_iter()
            .filter_map(|entry| entry.fields_v1)
            .for_each(|other| unite(&mut fields.0, other.0));
    }
    kept.insert(0, ours);
    Some(kept)
}

/// The union of two sets of fields.
fn unite(into: &mut Value, other: Value) {
    match (into, other) {
        (Value::Object(into), Value::Object(other)) => {
            for (field, below) in other {
                unite(into.entry(field).or_insert_with(|| json!({})), below);
            }
        }
        (into, other) => *into = other,
    }
}

/// An entry of `managedFields`.
#[cfg(test)]
pub(crate) fn entry(manager: &str, operation: &str, fields: Value) -> ManagedFieldsEntry {
    ManagedFieldsEntry {
        manager: Some(manager.into()),
        operation: Some(operation.into()),
        fields_v1: Some(FieldsV1(fields)),
        ..ManagedFieldsEntry::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_old_operator_are_taken_over_and_fields_of_other_managers_stay() {
        let predecessors = BTreeSet::from(["harbor-operator".to_owned(), "core".to_owned()]);
        let entries = vec![
            entry("harbor-operator", "Update", json!({"f:data": {"f:a": {}}})),
            entry("core", "Update", json!({"f:data": {"f:b": {}}})),
            entry("kubectl-edit", "Update", json!({"f:data": {"f:c": {}}})),
            entry("ours", "Apply", json!({"f:data": {"f:d": {}}})),
        ];
        let after = handed_over(entries, "ours", &predecessors).unwrap();
        assert_eq!(
            after,
            [
                entry("ours", "Apply", json!({"f:data": {"f:a": {}, "f:b": {}, "f:d": {}}})),
                entry("kubectl-edit", "Update", json!({"f:data": {"f:c": {}}})),
            ]
        );
    }

    #[test]
    fn without_fields_of_the_old_operator_there_is_no_hand_over() {
        let entries = vec![entry("ours", "Apply", json!({})), entry("kubectl-edit", "Update", json!({}))];
        assert_eq!(handed_over(entries, "ours", &BTreeSet::from(["harbor-operator".to_owned()])), None);
    }
}
