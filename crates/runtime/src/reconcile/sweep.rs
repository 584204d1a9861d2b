//! Removes children that their owner no longer wants.

use crate::{
    ReconcileError,
    cluster::{Cluster, api_of},
    error::Verb,
    report::{ChangeKind, ChildChange},
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, Preconditions},
    core::{DynamicObject, PartialObjectMeta},
};
use plan::{ObjectKey, Unwanted};
use serde_json::json;

/// Deletes or releases children of the owner with this uid, each only if it still is the observed object. Wakes the other owners
/// that read them.
pub(crate) async fn sweep(
    cluster: &Cluster,
    (owner, uid): (&ObjectKey, &str),
    unwanted: Unwanted,
) -> Result<Vec<ChildChange>, ReconcileError> {
    let Cluster { client, router, .. } = cluster;
    let mut changes = Vec::new();
    for observed in unwanted.deleted {
        let key = &observed.key;
        let Some(resource) = cluster.resource_of(&key.group, &key.kind) else { continue };
        let api: Api<DynamicObject> = api_of(client, resource, key)?;
        let uid = Some(observed.observation.uid.clone());
        let params = DeleteParams::background().preconditions(Preconditions { uid, resource_version: None });
        match api.delete(&key.name, &params).await {
            Ok(_) => {
                tracing::info!(object = %key, "deleted a child that its owner no longer wants");
                changes.push(ChildChange { object: key.clone(), kind: ChangeKind::Deleted });
            }
            // Already deleted, or replaced by a newer object of the same name, which the operator must not delete.
            Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => {}
            Err(error) => return Err(ReconcileError::api(Verb::Delete, key, error)),
        }
        router.wake_others(router.index.gone(&observed), owner);
    }
    for observed in unwanted.released {
        let key = &observed.key;
        let Some(resource) = cluster.resource_of(&key.group, &key.kind) else { continue };
        let api = api_of(client, resource, key)?;
        if release(&api, key, uid).await? {
            tracing::info!(object = %key, "released a child that another program created");
            changes.push(ChildChange { object: key.clone(), kind: ChangeKind::Released });
        }
        router.wake_others(router.index.gone(&observed), owner);
    }
    Ok(changes)
}

/// Removes the owner with this uid from an object, and returns whether it was there.
async fn release(
    api: &Api<PartialObjectMeta<DynamicObject>>,
    key: &ObjectKey,
    owner: &str,
) -> Result<bool, ReconcileError> {
    let failed = |error| ReconcileError::api(Verb::Apply, key, error);
    let Some(stored) = api.get_opt(&key.name).await.map_err(failed)? else { return Ok(false) };
    let before = stored.metadata.owner_references.unwrap_or_default();
    let owners: Vec<_> = before.iter().filter(|it| it.uid != owner).collect();
    if owners.len() == before.len() {
        return Ok(false);
    }
    // Without the version, the patch would overwrite owners that were added in between.
    let version = &stored.metadata.resource_version;
    let patch = json!({"metadata": {"resourceVersion": version, "ownerReferences": owners}});
    api.patch_metadata(&key.name, &PatchParams::default(), &Patch::Merge(&patch)).await.map_err(failed)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, cluster::Classes};
    use http::{Request, Response};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{
        Client,
        client::Body,
        core::{ApiResource, ObjectMeta},
    };
    use plan::{Health, ObservedObject};
    use serde_json::{Value, json};
    use std::{collections::BTreeSet, convert::Infallible, sync::Arc};
    use tokio::sync::Mutex;
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    async fn a_newer_object_of_the_same_name_is_not_deleted() {
        let sent = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&sent);
        let server = tower::service_fn(move |request: Request<Body>| {
            let log = Arc::clone(&log);
            async move {
                let body = request.into_body().collect_bytes().await.unwrap();
                log.lock().await.push(serde_json::from_slice::<Value>(&body).unwrap());
                let success = json!({"kind": "Status", "apiVersion": "v1", "status": "Success"});
                Ok::<_, Infallible>(Response::new(Body::from(success.to_string().into_bytes())))
            }
        });
        let resource = ApiResource::erase::<ConfigMap>(&());
        let meta = ObjectMeta {
            name: Some("a".into()),
            namespace: Some("ns".into()),
            uid: Some("the-observed-uid".into()),
            ..ObjectMeta::default()
        };
        let child = ObservedObject::of(&resource, &meta, Health::READY, &BTreeSet::new()).unwrap();
        let (client, options, stop) =
            (Client::new(server, "ns"), Options::default(), CancellationToken::new());
        let cluster = Cluster::new(client, Arc::from([]), Classes::All, &options, Arc::default(), stop);

        let unwanted = Unwanted { deleted: vec![child], released: Vec::new() };
        sweep(&cluster, (&ObjectKey::of::<ConfigMap>("ns", "owner"), ""), unwanted).await.unwrap();

        let expected =
            json!({"propagationPolicy": "Background", "preconditions": {"uid": "the-observed-uid"}});
        assert_eq!(*sent.lock().await, [expected]);
    }
}
