//! What becomes of children without their owner, for those that are not applied anew.

use crate::{
    Failure,
    address::api_of,
    apply::Applier,
    error::Verb,
    index::{Observation, Whose},
    ownership,
};
use api::names::KEPT_ANNOTATION;
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams},
    core::{DynamicObject, PartialObjectMeta},
};
use plan::{ChildKind, Desired, ObjectKey, Tie};
use serde_json::json;

impl Applier<'_> {
    /// Frees a child from its owner that is to be kept, and ties one that is not. What nobody has tied, a user has
    /// created: it is left alone.
    pub(crate) async fn settle_tie(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        desired: &Desired,
        seen: Option<&Observation>,
    ) -> Result<(), Failure> {
        let Some(seen) = seen else { return Ok(()) };
        let settled = match (&seen.owner, desired.tie) {
            (Some(Whose::Owned(owner, _)), Tie::Kept) | (Some(Whose::Kept(owner)), Tie::Owned) => {
                owner != self.owner
            }
            (Some(Whose::Owned(..)), Tie::Owned) | (Some(Whose::Kept(_)), Tie::Kept) | (None, _) => true,
        };
        if settled { Ok(()) } else { self.tie(key, kind, desired).await }
    }

    /// Ties a child of ours that has no owner: the owner was deleted without its children, and created again.
    pub(crate) async fn settle_orphan(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        desired: &Desired,
        found: &DynamicObject,
    ) -> Result<(), Failure> {
        let wanted = desired.object.meta();
        let tied = found.owner_references().iter().any(|owner| owner.controller == Some(true))
            || found.annotations().contains_key(KEPT_ANNOTATION);
        if tied || !ownership::is_labelled_alike(&found.metadata, wanted) {
            return Ok(());
        }
        self.tie(key, kind, desired).await
    }

    async fn tie(&self, key: &ObjectKey, kind: &ChildKind, desired: &Desired) -> Result<(), Failure> {
        let failed = |error| Failure::api(Verb::Apply, key, error);
        let api: Api<PartialObjectMeta<DynamicObject>> = api_of(self.client, &kind.resource, key)?;
        let Some(stored) = api.get_opt(&key.name).await.map_err(failed)? else { return Ok(()) };
        let meta = desired.object.meta();
        let mut owners = stored.metadata.owner_references.unwrap_or_default();
        owners.retain(|owner| owner.controller != Some(true));
        owners.extend(meta.owner_references.clone().unwrap_or_default());
        let kept = meta.annotations.as_ref().and_then(|all| all.get(KEPT_ANNOTATION));
        let patch = json!({"metadata": {
            // Or a namesake, or owners added in between, would be overwritten.
            "resourceVersion": stored.metadata.resource_version,
            "ownerReferences": owners,
            "annotations": {KEPT_ANNOTATION: kept},
        }});
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        let stored =
            self.api(key, kind)?.patch(&key.name, &params, &Patch::Merge(&patch)).await.map_err(failed)?;
        tracing::info!(owner = %self.owner, object = %key, tie = ?desired.tie, "tied anew");
        self.record(key, kind, &stored)?;
        Ok(())
    }
}
