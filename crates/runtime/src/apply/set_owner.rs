//! Sets the owner of a child whose content the operator does not apply.

use super::ensure::{Applier, Child};
use crate::{ReconcileError, cluster::api_of, error::Verb};
use api::names::KEPT_ANNOTATION;
use kube::{
    Api,
    api::{Patch, PatchParams},
    core::{DynamicObject, PartialObjectMeta},
};
use serde_json::json;

impl Applier<'_> {
    /// Sets the owner reference of a child, or the annotation of a child that is kept.
    pub(super) async fn set_owner(
        &self,
        Child { key, kind, desired }: Child<'_>,
    ) -> Result<(), ReconcileError> {
        let failed = |error| ReconcileError::api(Verb::Apply, key, error);
        let api: Api<PartialObjectMeta<DynamicObject>> = api_of(&self.cluster.client, &kind.resource, key)?;
        let Some(stored) = api.get_opt(&key.name).await.map_err(failed)? else { return Ok(()) };
        let meta = desired.object.meta();
        let mut owners = stored.metadata.owner_references.unwrap_or_default();
        owners.retain(|owner| owner.controller != Some(true));
        owners.extend(meta.owner_references.clone().unwrap_or_default());
        let kept = meta.annotations.as_ref().and_then(|all| all.get(KEPT_ANNOTATION));
        let patch = json!({"metadata": {
            // Otherwise the patch could change a later object of the same name, or remove owners that were added
            // meanwhile.
            "resourceVersion": stored.metadata.resource_version,
            "ownerReferences": owners,
            "annotations": {KEPT_ANNOTATION: kept},
        }});
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        let stored =
            self.api(key, kind)?.patch(&key.name, &params, &Patch::Merge(&patch)).await.map_err(failed)?;
        tracing::info!(owner = %self.owner, object = %key, deletion = ?desired.deletion, "set the owner");
        self.record(key, kind, &stored)?;
        Ok(())
    }
}
