//! Changes after a request: owners, finalizers, namespaces, definitions, watches.

use crate::requests::{BOATS, Caller, DEFINITIONS, boats};
use apiserver::ApiServer;
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ListParams, WatchEvent, WatchParams},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn at(name: &str) -> String {
    format!("{CONFIG_MAPS}/{name}")
}

/// A client of a server with config maps, each owned by others that were created before.
async fn world(objects: &[(&str, &[&str])]) -> Caller {
    let caller = Caller::of(&ApiServer::builder().seed(1).build().unwrap());
    for (name, owners) in objects {
        let mut references = Vec::new();
        for owner in *owners {
            references.push(reference(&caller.object(&at(owner)).await));
        }
        let object = json!({"metadata": {"name": name, "ownerReferences": references}});
        caller.created(CONFIG_MAPS, &object).await;
    }
    caller
}

fn reference(owner: &Value) -> Value {
    let metadata = &owner["metadata"];
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "blockOwnerDeletion": true,
    })
}

async fn delete_in_foreground(caller: &Caller, name: &str) {
    let (code, answer) = caller.delete(&at(name), &json!({"propagationPolicy": "Foreground"})).await;
    assert_eq!(code, 200, "{answer}");
}

#[tokio::test]
async fn an_owner_deleted_in_the_foreground_goes_after_its_last_dependent() {
    let caller = world(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]).await;
    caller.merge(&at("c"), &json!({"metadata": {"finalizers": ["test.io/x"]}})).await;
    delete_in_foreground(&caller, "a").await;
    assert_eq!(caller.names(CONFIG_MAPS).await, ["a", "b", "c"], "c holds b, which holds a");
    caller.merge(&at("c"), &json!({"metadata": {"finalizers": null}})).await;
    assert!(caller.names(CONFIG_MAPS).await.is_empty());
}

#[tokio::test]
async fn a_dependent_with_another_owner_stays_and_does_not_hold_the_one_that_goes() {
    let caller = world(&[("goes", &[]), ("stays", &[]), ("dependent", &["goes", "stays"])]).await;
    delete_in_foreground(&caller, "goes").await;
    assert_eq!(caller.names(CONFIG_MAPS).await, ["dependent", "stays"]);
    let owners = caller.object(&at("dependent")).await["metadata"]["ownerReferences"].clone();
    assert_eq!(owners, json!([reference(&caller.object(&at("stays")).await)]));
}

#[tokio::test]
async fn owners_in_a_circle_do_not_wait_for_each_other() {
    let caller = world(&[("a", &[]), ("b", &["a"])]).await;
    let owner = reference(&caller.object(&at("b")).await);
    caller.merge(&at("a"), &json!({"metadata": {"ownerReferences": [owner]}})).await;
    delete_in_foreground(&caller, "a").await;
    assert!(caller.names(CONFIG_MAPS).await.is_empty());
}

#[tokio::test]
async fn an_owner_does_not_wait_for_what_it_no_longer_owns_or_what_lets_it_go() {
    for change in [json!(null), json!(false)] {
        let caller = world(&[("a", &[]), ("b", &["a"])]).await;
        caller.merge(&at("b"), &json!({"metadata": {"finalizers": ["test.io/x"]}})).await;
        delete_in_foreground(&caller, "a").await;
        assert_eq!(caller.names(CONFIG_MAPS).await, ["a", "b"]);
        let mut owner = reference(&caller.object(&at("a")).await);
        owner["blockOwnerDeletion"] = change.clone();
        let references = if change.is_null() { json!(null) } else { json!([owner]) };
        let (code, answer) =
            caller.merge(&at("b"), &json!({"metadata": {"ownerReferences": references}})).await;
        assert_eq!(code, 200, "{answer}");
        assert_eq!(caller.names(CONFIG_MAPS).await, ["b"], "with {change}");
    }
}

#[tokio::test]
async fn orphans_lose_their_owner_and_nothing_else() {
    let caller = world(&[("a", &[]), ("other", &[]), ("b", &["a", "other"]), ("c", &["a"])]).await;
    caller.delete(&at("a"), &json!({"propagationPolicy": "Orphan"})).await;
    assert_eq!(caller.names(CONFIG_MAPS).await, ["b", "c", "other"]);
    assert_eq!(caller.object(&at("c")).await["metadata"].get("ownerReferences"), None);
    let kept = json!([reference(&caller.object(&at("other")).await)]);
    assert_eq!(caller.object(&at("b")).await["metadata"]["ownerReferences"], kept);
}

#[tokio::test]
async fn a_definition_waits_for_the_finalizers_of_its_objects_and_their_dependents_go_too() {
    let caller = world(&[]).await;
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    caller.created(DEFINITIONS, &boats(&schema)).await;
    let boat = |name: &str| json!({"apiVersion": "test.io/v1", "kind": "Boat", "metadata": {"name": name, "finalizers": ["test.io/x"]}});
    let owner = caller.created(BOATS, &boat("a")).await;
    let reference = json!({
        "apiVersion": "test.io/v1", "kind": "Boat", "name": "a", "uid": owner["metadata"]["uid"],
    });
    caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "sail", "ownerReferences": [reference]}})).await;

    let definition = format!("{DEFINITIONS}/boats.test.io");
    assert_eq!(caller.delete(&definition, &json!({})).await.0, 200);
    assert!(caller.exists(&definition).await, "a boat holds it");
    let (code, refused) = caller.create(BOATS, &boat("b")).await;
    assert_eq!(code, 403, "{refused}");
    caller.merge(&format!("{BOATS}/a"), &json!({"metadata": {"finalizers": null}})).await;
    assert!(!caller.exists(&definition).await);
    assert!(!caller.exists(BOATS).await);
    assert!(caller.names(CONFIG_MAPS).await.is_empty(), "what the boat owned is gone with it");
}

#[tokio::test]
async fn a_namespace_waits_for_its_contents_and_for_its_own_finalizers() {
    let caller = world(&[]).await;
    caller
        .created("/api/v1/namespaces", &json!({"metadata": {"name": "n", "finalizers": ["test.io/own"]}}))
        .await;
    let inside = "/api/v1/namespaces/n/configmaps";
    caller.created(inside, &json!({"metadata": {"name": "a", "finalizers": ["test.io/x"]}})).await;
    caller.created(inside, &json!({"metadata": {"name": "b"}})).await;
    caller.delete("/api/v1/namespaces/n", &json!({})).await;
    assert_eq!(caller.names(inside).await, ["a"]);
    let (code, refused) = caller.create(inside, &json!({"metadata": {"name": "c"}})).await;
    assert_eq!(
        (code, refused["message"].as_str().unwrap()),
        (
            403,
            "configmaps \"c\" is forbidden: unable to create new content in namespace n because it is being terminated"
        )
    );

    caller.merge(&format!("{inside}/a"), &json!({"metadata": {"finalizers": null}})).await;
    let left = caller.object("/api/v1/namespaces/n").await;
    assert_eq!(left["spec"], json!({}), "only its own finalizer holds it now");
    caller.merge("/api/v1/namespaces/n", &json!({"metadata": {"finalizers": null}})).await;
    assert!(!caller.exists("/api/v1/namespaces/n").await);
}

#[tokio::test]
async fn generated_names_avoid_those_that_are_taken() {
    let caller = world(&[]).await;
    let mut names = BTreeSet::new();
    for _ in 0..200 {
        let made = caller.created(CONFIG_MAPS, &json!({"metadata": {"generateName": "x-"}})).await;
        assert!(names.insert(made["metadata"]["name"].as_str().unwrap().to_owned()));
    }
}

#[tokio::test]
async fn a_very_long_grace_period_is_accepted() {
    let caller = world(&[]).await;
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({
        "metadata": {"name": "p"},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
    });
    caller.created(pods, &pod).await;
    let (code, answer) = caller.delete(&format!("{pods}/p"), &json!({"gracePeriodSeconds": i64::MAX})).await;
    assert_eq!((code, &answer["metadata"]["deletionGracePeriodSeconds"]), (200, &json!(i64::MAX)));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_has_seen_everything_survives_compaction() {
    let server = ApiServer::new();
    let caller = Caller::of(&server);
    let api: Api<ConfigMap> = Api::default_namespaced(Client::new(server.clone(), "default"));
    let version = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let selected = WatchParams::default().labels("seen=yes");
    let mut events = api.watch(&selected, &version).await.unwrap().boxed();
    let config_map = |name: &str| json!({"metadata": {"name": name, "labels": {"seen": "yes"}}});
    caller.created(CONFIG_MAPS, &config_map("a")).await;
    let next = events.try_next().await.unwrap().unwrap();
    assert!(matches!(&next, WatchEvent::Added(object) if object.name_any() == "a"), "{next:?}");

    caller.created("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await;
    server.compact();
    caller.created(CONFIG_MAPS, &json!({"metadata": {"name": "unseen"}})).await;
    caller.created(CONFIG_MAPS, &config_map("b")).await;
    let next = events.try_next().await.unwrap().unwrap();
    assert!(matches!(&next, WatchEvent::Added(object) if object.name_any() == "b"), "{next:?}");

    caller.created(CONFIG_MAPS, &config_map("missed")).await;
    server.compact();
    let next = events.try_next().await.unwrap().unwrap();
    assert!(matches!(&next, WatchEvent::Error(status) if status.code == 410), "{next:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_may_have_a_timeout_without_end() {
    let caller = Caller::of(&ApiServer::new());
    let path = format!("{CONFIG_MAPS}?watch=true&timeoutSeconds={}", u64::MAX);
    let waited = tokio::time::timeout(Duration::from_hours(1), caller.get(&path)).await;
    assert!(waited.is_err(), "it is still open after an hour");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_two_services_get_the_same_address() {
    let caller = world(&[]).await;
    let made = futures::future::join_all((0..64).map(|n| {
        let caller = caller.clone();
        tokio::spawn(async move {
            let service = json!({
                "metadata": {"name": format!("s{n}")},
                "spec": {"type": "NodePort", "ports": [{"port": 80}]},
            });
            caller.created("/api/v1/namespaces/default/services", &service).await
        })
    }));
    let made: Vec<Value> = made.await.into_iter().map(Result::unwrap).collect();
    let distinct = |path: &str| {
        made.iter().map(|one| one.pointer(path).unwrap().to_string()).collect::<BTreeSet<_>>().len()
    };
    assert_eq!((distinct("/spec/clusterIP"), distinct("/spec/ports/0/nodePort")), (64, 64));
}

#[tokio::test]
async fn an_apply_that_names_a_uid_creates_nothing() {
    let caller = world(&[]).await;
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "uid": "u"}});
    let path = format!("{}?fieldManager=m", at("a"));
    let (code, answer) =
        caller.send("PATCH", &path, "application/apply-patch+yaml", object.to_string()).await;
    let words = "Operation cannot be fulfilled on configmaps \"a\": uid mismatch: the provided object specified uid u, \
                 and no existing object was found";
    assert_eq!((code, answer["message"].as_str()), (409, Some(words)));
    assert_eq!(caller.names(CONFIG_MAPS).await, [""; 0]);
}

#[tokio::test]
async fn a_server_serves_the_kinds_of_definitions_that_it_adopts_as_the_one_that_checked_them() {
    let (first, second) = (ApiServer::new(), ApiServer::new());
    let spec = json!({"type": "object", "properties": {"sails": {"type": "integer", "default": 1}}});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    Caller::of(&first).created(DEFINITIONS, &boats(&schema)).await;
    second.adopt(first.definitions());

    let (first, second) = (Caller::of(&first), Caller::of(&second));
    let stored = async |caller: &Caller| {
        let mut definition = caller.object(&format!("{DEFINITIONS}/boats.test.io")).await;
        definition["metadata"].as_object_mut().unwrap().remove("resourceVersion");
        definition
    };
    assert_eq!(stored(&second).await, stored(&first).await);
    let boat = |sails: Value| json!({"apiVersion": "test.io/v1", "kind": "Boat", "metadata": {"name": "a"}, "spec": {"sails": sails}});
    let (code, refused) = second.create(BOATS, &boat(json!("two"))).await;
    assert_eq!((code, &refused), (422, &first.create(BOATS, &boat(json!("two"))).await.1));
    assert_eq!(second.created(BOATS, &boat(Value::Null)).await["spec"], json!({"sails": 1}));
}
