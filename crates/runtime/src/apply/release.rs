//! Releases fields to other managers without changing their values.
//!
//! Server-side apply removes a field that the operator no longer sends and that no other manager owns, and the API
//! server sets its default: a Deployment whose replicas are left to an autoscaler would have one pod until the
//! autoscaler acts. So the operator first removes the field from its entry in `managedFields`. Then no manager owns
//! the field, it keeps its value, and the next manager that sets it owns it.

use super::amend::amend;
use crate::{ReconcileError, cluster::api_of, error::Verb};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::{
    Api, Client,
    core::{ApiResource, DynamicObject, PartialObjectMeta},
};
use plan::ObjectKey;
use serde_json::{Value, json};

/// Removes these fields of `key`, each a path such as `spec.replicas`, from the ownership of `manager`.
pub(crate) async fn release(
    client: &Client,
    resource: &ApiResource,
    key: &ObjectKey,
    manager: &str,
    fields: &[&str],
) -> Result<(), ReconcileError> {
    let api: Api<PartialObjectMeta<DynamicObject>> = api_of(client, resource, key)?;
    let object =
        api.get_opt(&key.name).await.map_err(|error| ReconcileError::api(Verb::Release, key, error))?;
    let Some(object) = object else { return Ok(()) };
    let Some(entries) = released(object.metadata.managed_fields.unwrap_or_default(), manager, fields) else {
        return Ok(());
    };
    let api: Api<DynamicObject> = api_of(client, resource, key)?;
    let version = object.metadata.resource_version.as_deref();
    let entries = json!({"op": "replace", "path": "/metadata/managedFields", "value": entries});
    amend(&api, (Verb::Release, key), manager, version, [entries]).await?;
    tracing::info!(object = %key, ?fields, "released fields to other managers");
    Ok(())
}

/// The entries without these fields of `manager`, or `None` if it owns none of them.
fn released(
    mut entries: Vec<ManagedFieldsEntry>,
    manager: &str,
    fields: &[&str],
) -> Option<Vec<ManagedFieldsEntry>> {
    let ours = entries.iter_mut().filter(|entry| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.as_deref().unwrap_or_default().is_empty()
    });
    let mut had = false;
    for owned in ours.filter_map(|entry| entry.fields_v1.as_mut()) {
        for field in fields {
            had |= remove(&mut owned.0, field);
        }
    }
    had.then_some(entries)
}

/// Removes a field from a set of fields and returns whether it was there.
fn remove(set: &mut Value, field: &str) -> bool {
    let (parents, last) = field.rsplit_once('.').unwrap_or(("", field));
    let parent = parents
        .split('.')
        .filter(|part| !part.is_empty())
        .try_fold(set, |set, part| set.get_mut(format!("f:{part}")));
    let parent = parent.and_then(Value::as_object_mut);
    parent.is_some_and(|parent| parent.remove(&format!("f:{last}")).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::hand_over::entry;

    #[test]
    fn released_fields_are_removed_from_the_operators_entry_only() {
        let both = json!({"f:spec": {"f:replicas": {}, "f:template": {}}});
        let entries = vec![entry("ours", "Apply", both.clone()), entry("theirs", "Update", both.clone())];
        assert_eq!(
            released(entries, "ours", &["spec.replicas"]),
            Some(vec![
                entry("ours", "Apply", json!({"f:spec": {"f:template": {}}})),
                entry("theirs", "Update", both),
            ])
        );
    }

    #[test]
    fn without_fields_to_release_nothing_is_written() {
        let theirs = || vec![entry("theirs", "Apply", json!({"f:spec": {"f:replicas": {}}}))];
        assert_eq!(released(theirs(), "ours", &["spec.replicas"]), None);
        assert_eq!(released(theirs(), "theirs", &["spec.paused", "metadata.labels.a"]), None);
    }
}
