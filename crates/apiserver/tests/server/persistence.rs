//! A server with a file continues where an earlier one ended.

use crate::requests::{BOATS, Caller, DEFINITIONS, boats};
use apiserver::ApiServer;
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{
    Api, Client, Resource, ResourceExt as _,
    api::{WatchEvent, WatchParams},
    runtime::{WatchStreamExt as _, watcher},
};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::{fmt::Debug, path::Path};
use tempfile::TempDir;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn started(path: &Path) -> ApiServer {
    ApiServer::builder().file(path).build().unwrap()
}

#[tokio::test]
async fn objects_kinds_revision_and_authority_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("journal");
    let paths = [
        format!("{CONFIG_MAPS}/kept"),
        format!("{DEFINITIONS}/boats.test.io"),
        format!("{BOATS}/a"),
        "/api/v1/namespaces/default".to_owned(),
        "/api/v1/namespaces/default/services/kubernetes".to_owned(),
    ];
    let server = started(&file);
    let caller = Caller::of(&server);
    let pems = server.authority().unwrap().pems().clone();
    caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "kept"}, "data": {"a": "1"}})).await;
    let sails = json!({"type": "integer", "default": 1});
    let spec = json!({"type": "object", "properties": {"sails": sails}});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    caller.created(DEFINITIONS, &boats(&schema)).await;
    let boat = json!({"apiVersion": "test.io/v1", "kind": "Boat", "metadata": {"name": "a"}, "spec": {}});
    caller.created(BOATS, &boat).await;
    caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "gone"}})).await;
    caller.delete(&format!("{CONFIG_MAPS}/gone"), &json!({})).await;
    let mut before = Vec::new();
    for path in &paths {
        before.push(caller.object(path).await);
    }
    let revision = server.revision();
    drop((server, caller));

    let server = started(&file);
    let caller = Caller::of(&server);
    for (path, before) in paths.iter().zip(&before) {
        assert_eq!(caller.object(path).await, *before, "{path}");
    }
    assert_eq!(server.revision(), revision, "a restart changes nothing, and the deletion counts");
    assert!(*server.authority().unwrap().pems() == pems, "a kubeconfig stays valid");
    let other = json!({"apiVersion": "test.io/v1", "kind": "Boat", "metadata": {"name": "b"}, "spec": {}});
    let made = caller.created(BOATS, &other).await;
    assert_eq!(made["spec"], json!({"sails": 1}), "the schema of the kind is there, too");
    assert_eq!(made["metadata"]["resourceVersion"], (revision + 1).to_string());
}

#[tokio::test]
async fn a_file_serves_one_server_at_a_time() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("journal");
    let first = started(&file);
    let refused = ApiServer::builder().file(&file).build().unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "the journal {} is in use by another process; stop that one or name another file",
            file.display()
        )
    );
    Caller::of(&first).created(CONFIG_MAPS, &json!({"metadata": {"name": "a"}})).await;
    drop(first);
    assert_eq!(Caller::of(&started(&file)).names(CONFIG_MAPS).await, ["a"]);
}

async fn first_event<K>(server: &ApiServer, version: &str) -> WatchEvent<K>
where
    K: Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + Debug
        + DeserializeOwned,
{
    let api: Api<K> = Api::default_namespaced(Client::new(server.clone(), "default"));
    api.watch(&WatchParams::default(), version).await.unwrap().boxed().try_next().await.unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_before_the_restart_has_to_start_over_and_does() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("journal");
    let server = started(&file);
    let caller = Caller::of(&server);
    caller.created("/api/v1/namespaces/default/secrets", &json!({"metadata": {"name": "s"}})).await;
    let version = server.revision().to_string();
    caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "a"}})).await;
    caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "b"}})).await;
    caller.delete(&format!("{CONFIG_MAPS}/b"), &json!({})).await;
    caller.delete("/api/v1/namespaces/default/secrets/s", &json!({})).await;
    drop((server, caller));

    let server = started(&file);
    let expired = first_event::<ConfigMap>(&server, &version).await;
    assert!(matches!(&expired, WatchEvent::Error(status) if status.code == 410), "{expired:?}");
    let expired = first_event::<Secret>(&server, &version).await;
    assert!(matches!(&expired, WatchEvent::Error(status) if status.code == 410), "none is left: {expired:?}");

    let api: Api<ConfigMap> = Api::default_namespaced(Client::new(server.clone(), "default"));
    let seen: Vec<String> = watcher(api, watcher::Config::default())
        .default_backoff()
        .applied_objects()
        .take(1)
        .map_ok(|object| object.name_any())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(seen, ["a"]);
}

#[tokio::test]
async fn a_deletion_that_waited_before_the_restart_continues_after_it() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("journal");
    let caller = Caller::of(&started(&file));
    caller.created("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await;
    let inside = "/api/v1/namespaces/n/configmaps";
    caller.created(inside, &json!({"metadata": {"name": "a", "finalizers": ["test.io/x"]}})).await;
    caller.delete("/api/v1/namespaces/n", &json!({})).await;
    drop(caller);

    let caller = Caller::of(&started(&file));
    assert_eq!(caller.names(inside).await, ["a"]);
    caller.merge(&format!("{inside}/a"), &json!({"metadata": {"finalizers": null}})).await;
    assert!(!caller.exists("/api/v1/namespaces/n").await);
}

#[tokio::test]
async fn a_server_with_controllers_finishes_what_one_without_them_left() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("journal");
    let caller = Caller::of(&ApiServer::builder().file(&file).without_controllers().build().unwrap());
    let owner = caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "owner"}})).await;
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"],
    });
    caller
        .created(CONFIG_MAPS, &json!({"metadata": {"name": "owned", "ownerReferences": [reference]}}))
        .await;
    caller.delete(&format!("{CONFIG_MAPS}/owner"), &json!({})).await;
    assert_eq!(caller.names(CONFIG_MAPS).await, ["owned"]);
    drop(caller);
    assert!(Caller::of(&started(&file)).names(CONFIG_MAPS).await.is_empty());
}
