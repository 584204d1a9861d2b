//! Giving fields up without a gap.
//!
//! Server-side apply removes a field that we no longer send and that no other manager has set, and the API server puts
//! its default in the place: a Deployment whose number of pods is left to an autoscaler would have one pod until the
//! autoscaler notices. So a field that is left to others is first taken out of our entry in `managedFields`. No
//! manager owns it then, it keeps its value, and the next manager that sets it owns it.

use super::amend::amend;
use crate::{ReconcileError, cluster::api_of, error::Verb};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::{
    Api, Client,
    core::{ApiResource, DynamicObject, PartialObjectMeta},
};
use plan::ObjectKey;
use serde_json::{Value, json};

/// Makes these fields of `key`, each a path such as `spec.replicas`, fields of `manager` no longer.
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
    tracing::info!(object = %key, ?fields, "left to others, as they are");
    Ok(())
}

/// The entries without these fields in that of `manager`, or `None` where it has none of them.
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

/// Removes a field from a set of fields; answers whether it was there.
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
    fn what_is_left_to_others_is_ours_no_longer_and_stays_theirs() {
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
    fn nothing_to_give_up_means_nothing_to_write() {
        let theirs = || vec![entry("theirs", "Apply", json!({"f:spec": {"f:replicas": {}}}))];
        assert_eq!(released(theirs(), "ours", &["spec.replicas"]), None);
        assert_eq!(released(theirs(), "theirs", &["spec.paused", "metadata.labels.a"]), None);
    }
}
