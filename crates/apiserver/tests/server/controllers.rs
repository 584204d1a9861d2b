//! The parts of kube that controllers use, in process and under virtual time.

use apiserver::ApiServer;
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, WatchParams},
    runtime::{
        Controller, WatchStreamExt as _,
        controller::Action,
        finalizer::{Event, finalizer},
        watcher,
    },
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

fn client(server: &ApiServer) -> Client {
    Client::new(server.clone(), "default")
}

fn config_map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
        data: Some(BTreeMap::from([("key".into(), value.into())])),
        ..ConfigMap::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_sees_what_happens_in_order() {
    let server = ApiServer::new();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&server));
    api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let mut events = watcher(api.clone(), watcher::Config::default()).boxed();
    let mut seen = Vec::new();
    let mut note = |event: watcher::Event<ConfigMap>| {
        let value = |object: &ConfigMap| object.data.clone().unwrap()["key"].clone();
        match event {
            watcher::Event::Init => seen.push("init".to_owned()),
            watcher::Event::InitApply(object) => {
                seen.push(format!("has {}={}", object.name_any(), value(&object)));
            }
            watcher::Event::InitDone => seen.push("done".to_owned()),
            watcher::Event::Apply(object) => {
                seen.push(format!("now {}={}", object.name_any(), value(&object)));
            }
            watcher::Event::Delete(object) => seen.push(format!("gone {}", object.name_any())),
        }
    };
    for _ in 0..3 {
        note(events.try_next().await.unwrap().unwrap());
    }
    api.create(&PostParams::default(), &config_map("b", "1")).await.unwrap();
    let patch = json!({"data": {"key": "2"}});
    api.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    api.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    api.delete("b", &DeleteParams::default()).await.unwrap();
    for _ in 0..3 {
        note(events.try_next().await.unwrap().unwrap());
    }
    assert_eq!(seen, ["init", "has a=1", "done", "now b=1", "now a=2", "gone b"], "a no-op is no event");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_fell_behind_starts_over() {
    let server = ApiServer::new();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&server));
    let version = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    server.compact();
    let error = api
        .watch(&WatchParams::default(), &version)
        .await
        .unwrap()
        .boxed()
        .try_next()
        .await
        .unwrap()
        .unwrap();
    let kube::core::WatchEvent::Error(status) = error else { panic!("{error:?}") };
    assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));

    let names: Vec<String> = watcher(api, watcher::Config::default())
        .default_backoff()
        .applied_objects()
        .take(1)
        .map_ok(|object| object.name_any())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(names, ["a"]);
}

#[tokio::test]
async fn the_finalizer_helper_of_kube_works() {
    let server = ApiServer::new();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&server));
    let created = api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let reconcile = |object: ConfigMap| {
        finalizer(&api, "test.io/x", Arc::new(object), |event| async move {
            match event {
                Event::Apply(_) | Event::Cleanup(_) => Ok::<_, Infallible>(Action::await_change()),
            }
        })
    };
    reconcile(created).await.unwrap();
    assert_eq!(api.get("a").await.unwrap().finalizers(), ["test.io/x"]);

    api.delete("a", &DeleteParams::default()).await.unwrap();
    let marked = api.get("a").await.unwrap();
    assert!(marked.metadata.deletion_timestamp.is_some());
    reconcile(marked).await.unwrap();
    assert!(api.get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_idle_controller_sends_nothing_but_watches_for_an_hour() {
    let server = ApiServer::new();
    let client = client(&server);
    let api: Api<ConfigMap> = Api::default_namespaced(client.clone());
    for n in 0..10 {
        api.create(&PostParams::default(), &config_map(&format!("c{n}"), "1")).await.unwrap();
    }
    let reconciled = Arc::new(AtomicUsize::new(0));
    let controller = Controller::new(api, watcher::Config::default())
        .owns(Api::<Deployment>::default_namespaced(client), watcher::Config::default())
        .run(
            |_, count: Arc<AtomicUsize>| async move {
                count.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Infallible>(Action::await_change())
            },
            |_, _, _| Action::await_change(),
            Arc::clone(&reconciled),
        )
        .for_each(|_| async {});
    let before = server.revision();
    let _elapsed = tokio::time::timeout(Duration::from_hours(1), controller).await;
    assert_eq!(reconciled.load(Ordering::Relaxed), 10);
    assert_eq!(server.revision(), before, "nothing was written");
}
