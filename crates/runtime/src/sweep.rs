//! Removing what is no longer wanted.

use crate::{
    Failure, Sighting,
    address::api_of,
    error::Verb,
    happenings::{Happening, What},
    ownership::Provenance,
    router::Router,
    source::Kinds,
};
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams, Preconditions},
    core::{DynamicObject, PartialObjectMeta},
};
use plan::ObjectKey;
use serde_json::json;
use std::collections::BTreeSet;

/// Whose children are swept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) uid: &'a str,
}

/// Children that are no longer wanted, and what is to be done about them.
pub(crate) struct Unwanted {
    /// Created by the operator or its predecessor: deleted.
    pub(crate) deleted: Vec<Sighting>,
    /// Created by another program and given an owner by the predecessor: freed from it, or the garbage collector would
    /// delete them with it.
    pub(crate) released: Vec<Sighting>,
    owner: String,
}

/// Whether the operator deletes objects of a kind that are no longer wanted.
///
/// A claim holds data, and goes with its owner or not at all: the garbage collector deletes it by its owner reference.
fn is_swept(group: &str, kind: &str) -> bool {
    (group, kind) != ("", "PersistentVolumeClaim")
}

/// Children of an owner that are not `wanted`.
///
/// What is marked as untouchable is left: it holds generated secrets, and data encrypted with them may still exist. So is
/// what another program created: that it names our object as its owner is its own business.
pub(crate) fn unwanted(router: &Router, owner: Owner<'_>, wanted: &BTreeSet<&ObjectKey>) -> Unwanted {
    let children = router.index.owned_by(owner.uid).into_iter().filter(|child| {
        child.key.namespace == owner.namespace
            && !wanted.contains(&child.key)
            && !child.observation.immutable
            && !child.observation.deleting
    });
    let mut unwanted = Unwanted { deleted: Vec::new(), released: Vec::new(), owner: owner.uid.to_owned() };
    for child in children {
        match child.observation.provenance {
            Provenance::Operator => {
                if is_swept(&child.key.group, &child.key.kind) {
                    unwanted.deleted.push(child);
                }
            }
            Provenance::Appropriated => unwanted.released.push(child),
            Provenance::Foreign => {}
        }
    }
    unwanted
}

/// Deletes or releases children, each only if it is still the one that was seen, and tells of it.
pub(crate) async fn sweep(
    client: &Client,
    kinds: &Kinds,
    router: &Router,
    unwanted: Unwanted,
) -> Result<Vec<Happening>, Failure> {
    let mut happenings = Vec::new();
    for sighting in unwanted.deleted {
        let Sighting { key, observation } = &sighting;
        let Some(resource) = kinds.get(&(key.group.clone(), key.kind.clone())) else { continue };
        let api: Api<DynamicObject> = api_of(client, resource, key)?;
        let params = DeleteParams::background()
            .preconditions(Preconditions { uid: Some(observation.uid.clone()), resource_version: None });
        match api.delete(&key.name, &params).await {
            Ok(_) => {
                tracing::info!(object = %key, "deleted, it is no longer wanted");
                happenings.push(Happening { object: key.clone(), what: What::Deleted });
            }
            // Gone already, or replaced by a namesake that is not ours to delete.
            Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => {}
            Err(error) => return Err(Failure::api(Verb::Delete, key, error)),
        }
        router.index.gone(&sighting);
    }
    for sighting in unwanted.released {
        let key = &sighting.key;
        let Some(resource) = kinds.get(&(key.group.clone(), key.kind.clone())) else { continue };
        let api = api_of(client, resource, key)?;
        if release(&api, key, &unwanted.owner).await? {
            tracing::info!(object = %key, "released, another program created it");
            happenings.push(Happening { object: key.clone(), what: What::Released });
        }
        router.index.gone(&sighting);
    }
    Ok(happenings)
}

/// Takes the owner with this uid out of an object. Answers whether it was in it.
async fn release(
    api: &Api<PartialObjectMeta<DynamicObject>>,
    key: &ObjectKey,
    owner: &str,
) -> Result<bool, Failure> {
    let failed = |error| Failure::api(Verb::Apply, key, error);
    let Some(stored) = api.get_opt(&key.name).await.map_err(failed)? else { return Ok(false) };
    let before = stored.metadata.owner_references.unwrap_or_default();
    let owners: Vec<_> = before.iter().filter(|it| it.uid != owner).collect();
    if owners.len() == before.len() {
        return Ok(false);
    }
    // The version, or owners added in between would be overwritten.
    let version = &stored.metadata.resource_version;
    let patch = json!({"metadata": {"resourceVersion": version, "ownerReferences": owners}});
    api.patch_metadata(&key.name, &PatchParams::default(), &Patch::Merge(&patch)).await.map_err(failed)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{Request, Response};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{
        client::Body,
        core::{ApiResource, ObjectMeta},
    };
    use plan::Health;
    use serde_json::{Value, json};
    use std::{convert::Infallible, sync::Arc};
    use tokio::sync::Mutex;

    #[tokio::test]
    async fn a_namesake_created_meanwhile_is_not_deleted() {
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
            uid: Some("the-one-seen".into()),
            ..ObjectMeta::default()
        };
        let child = Sighting::of(&resource, &meta, Health::READY, &BTreeSet::new()).unwrap();
        let kinds = Kinds::from([((String::new(), "ConfigMap".to_owned()), resource)]);

        let unwanted = Unwanted { deleted: vec![child], released: Vec::new(), owner: String::new() };
        sweep(&Client::new(server, "ns"), &kinds, &Router::default(), unwanted).await.unwrap();

        let expected = json!({"propagationPolicy": "Background", "preconditions": {"uid": "the-one-seen"}});
        assert_eq!(*sent.lock().await, [expected]);
    }
}
