//! Creates the objects of YAML files, and waits until owners are ready.

use futures::StreamExt as _;
use kube::{
    Api, Client,
    api::PostParams,
    core::{DynamicObject, GroupVersionKind},
    discovery::{Scope, pinned_kind},
    runtime::{WatchStreamExt as _, watcher},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{collections::BTreeSet, fmt, path::Path, pin::pin};

/// The objects of a YAML file; the path is relative to the root of the repository.
pub fn documents(path: &str) -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_saphyr::from_multiple(&text).unwrap())
}

/// Creates an object, in the namespace `default` if it names none.
pub async fn create(client: &Client, object: Value) {
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let gvk = GroupVersionKind::try_from(object.types.clone().unwrap()).unwrap();
    let (resource, capabilities) = pinned_kind(client, &gvk).await.unwrap();
    let namespace = object.metadata.namespace.as_deref().unwrap_or("default");
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Cluster => Api::all_with(client.clone(), &resource),
        Scope::Namespaced => Api::namespaced_with(client.clone(), namespace, &resource),
    };
    api.create(&PostParams::default(), &object).await.unwrap();
}

/// Waits until this many objects of a kind are ready.
pub async fn until_ready<K>(client: &Client, number: usize)
where
    K: kube::Resource<DynamicType = ()>
        + Clone
        + fmt::Debug
        + DeserializeOwned
        + serde::Serialize
        + Send
        + 'static,
{
    let mut events =
        pin!(watcher(Api::<K>::all(client.clone()), watcher::Config::default()).applied_objects());
    let mut ready = BTreeSet::new();
    while ready.len() < number {
        let object = serde_json::to_value(events.next().await.unwrap().unwrap()).unwrap();
        let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
        if conditions.clone().any(|it| it["type"] == "Ready" && it["status"] == "True") {
            let metadata = &object["metadata"];
            ready.insert(format!("{}/{}", metadata["namespace"], metadata["name"]));
        }
    }
}
