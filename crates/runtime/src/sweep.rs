//! Removing what is no longer wanted.

use crate::{
    Failure, Sighting,
    error::Verb,
    happenings::{Happening, What},
    router::Router,
    source::Kinds,
};
use kube::{
    Api, Client,
    api::{DeleteParams, Preconditions},
    core::DynamicObject,
};
use plan::ObjectKey;
use std::collections::BTreeSet;

/// Children of the owner with this uid that are not `wanted`.
///
/// What is marked as untouchable is left: it holds generated secrets, and data encrypted with them may still exist.
pub(crate) fn unwanted(router: &Router, uid: &str, wanted: &BTreeSet<&ObjectKey>) -> Vec<Sighting> {
    let children = router.index.owned_by(uid);
    children
        .into_iter()
        .filter(|child| !wanted.contains(&child.key))
        .filter(|child| !child.observation.immutable && !child.observation.deleting)
        .collect()
}

/// Deletes children, each only if it is still the one that was seen, and tells of those that are gone now.
pub(crate) async fn sweep(
    client: &Client,
    kinds: &Kinds,
    router: &Router,
    unwanted: Vec<Sighting>,
) -> Result<Vec<Happening>, Failure> {
    let mut happenings = Vec::new();
    for sighting in unwanted {
        let Sighting { key, observation } = &sighting;
        let Some(resource) = kinds.get(&(key.group.clone(), key.kind.clone())) else { continue };
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), &key.namespace, resource);
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
    Ok(happenings)
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

        sweep(&Client::new(server, "ns"), &kinds, &Router::default(), vec![child]).await.unwrap();

        let expected = json!({"propagationPolicy": "Background", "preconditions": {"uid": "the-one-seen"}});
        assert_eq!(*sent.lock().await, [expected]);
    }
}
