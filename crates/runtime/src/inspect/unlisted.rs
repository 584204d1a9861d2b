//! The kinds that a user may not list.

use crate::{
    ReconcileError,
    cluster::{Cluster, Watched, field_selector},
    error::Verb,
};
use kube::{Api, api::ListParams, core::DynamicObject};
use plan::{Class, Classify as _, ComponentKind, ObjectKey};

/// A kind that the user may not list.
#[derive(Clone, Debug)]
pub struct Unlisted {
    /// The kind.
    pub kind: String,
    /// What the API server says.
    pub failure: plan::Failure,
}

/// The kinds that the user may not list, of those whose first list has failed.
///
/// # Errors
/// When a kind cannot be listed for another reason, or no kind of owner can be listed.
pub(super) async fn unlisted(cluster: &Cluster, kinds: &[Watched]) -> Result<Vec<Unlisted>, plan::Failure> {
    let mut unlisted = Vec::new();
    for watched in kinds.iter().filter(|it| !it.first.has_ended()) {
        match list(cluster, watched).await {
            Ok(()) => {}
            Err(error) if error.class() == Class::Forbidden => {
                let kind = watched.resource.kind.clone();
                unlisted.push(Unlisted { kind, failure: plan::Failure::from(&error) });
            }
            Err(error) => return Err(plan::Failure::from(&error)),
        }
    }
    let is_listed = |it: &ComponentKind| {
        kinds.iter().any(|watched| watched.resource.kind == it.resource().kind && watched.first.has_ended())
    };
    match unlisted.first() {
        Some(first) if !cluster.components.iter().any(is_listed) => Err(first.failure.clone()),
        _ => Ok(unlisted),
    }
}

/// Fails if a kind cannot be listed, with the reason.
async fn list(cluster: &Cluster, watched: &Watched) -> Result<(), ReconcileError> {
    let Watched { resource, reach, .. } = watched;
    let kind = ObjectKey::kind(resource);
    let api: Api<DynamicObject> = reach.api(&cluster.client, resource);
    let failed = |error| ReconcileError::api(Verb::List, &kind, error);
    let params = ListParams::default().limit(1);
    let params = reach.name().map_or(params.clone(), |name| params.fields(&field_selector(name)));
    api.list_metadata(&params).await.map(|_| ()).map_err(failed)
}
