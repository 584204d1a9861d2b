//! Taking over what the old operator left behind.
//!
//! It wrote its children with plain updates, so it is still the owner of every field it ever set. Server-side apply
//! removes only fields of its own manager: environment variables, annotations or `binaryData` the old operator wrote
//! and we do not want would stay for ever. Therefore its entries in `managedFields` become ours before our first
//! apply, as `kubectl` does it when it moves from client-side to server-side apply.

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

/// Makes every field of an object, read in the state `stored`, that belongs to one of `predecessors` a field of
/// `manager`, and takes the owners with these uids out of it: two controllers are refused by the API server.
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
    tracing::info!(object = %key, "taken over from the old operator");
    Ok(())
}

/// The entries after the hand-over, or `None` when there is nothing to hand over.
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
    fn fields_of_the_old_operator_become_ours_and_those_of_others_stay() {
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
    fn nothing_to_take_over_means_nothing_to_write() {
        let entries = vec![entry("ours", "Apply", json!({})), entry("kubectl-edit", "Update", json!({}))];
        assert_eq!(handed_over(entries, "ours", &BTreeSet::from(["harbor-operator".to_owned()])), None);
    }
}
