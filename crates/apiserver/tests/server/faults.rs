//! kube's watcher on a connection that fails: in the end, it has the state of the server.

use crate::requests::Caller;
use apiserver::{ApiServer, Faults, Mishap, Plan};
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::ListParams,
    runtime::{WatchStreamExt as _, reflector, watcher},
};
use serde_json::json;
use std::{collections::BTreeMap, time::Duration};
use tower::Layer as _;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// The objects of a reflector behind faults after creations, changes and deletions, and those of the server.
async fn known_and_true(faults: &Faults) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let server = ApiServer::builder().seed(1).history(20).build().unwrap();
    let unreliable = faults.layer(server.clone());
    let client = Client::new(unreliable, "default");
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    let (store, writer) = reflector::store();
    let watching = watcher(api, watcher::Config::default()).default_backoff().reflect(writer);
    let watching = tokio::spawn(watching.for_each(|_| async {}));

    let caller = Caller::of(&server);
    for n in 0..100 {
        let name = format!("c{}", n % 10);
        let path = format!("{CONFIG_MAPS}/{name}");
        let body = json!({"metadata": {"name": name}, "data": {"n": n.to_string()}});
        match n % 7 {
            6 => drop(caller.delete(&path, &json!({})).await),
            _ if caller.exists(&path).await => drop(caller.merge(&path, &body).await),
            _ => drop(caller.created(CONFIG_MAPS, &body).await),
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    faults.switch_off();
    // Longer than the longest backoff and than a watch.
    tokio::time::sleep(Duration::from_mins(10)).await;
    watching.abort();
    let data = |object: &ConfigMap| {
        let value = object.data.as_ref().map(|data| data["n"].clone()).unwrap_or_default();
        (object.name_any(), format!("{value} at {}", object.resource_version().unwrap()))
    };
    let known = store.state().iter().map(|object| data(object)).collect();
    let truth: Api<ConfigMap> = Api::default_namespaced(Client::new(server, "default"));
    let truth = truth.list(&ListParams::default()).await.unwrap().items.iter().map(data).collect();
    (known, truth)
}

#[tokio::test(start_paused = true)]
async fn a_watcher_survives_every_mishap_of_a_watch() {
    for mishap in [
        Mishap::WatchBreak,
        Mishap::WatchEnd,
        Mishap::WatchExpired,
        Mishap::WatchDuplicate,
        Mishap::WatchDelay,
        Mishap::DropBefore,
        Mishap::Unavailable,
        Mishap::StaleRead,
    ] {
        let faults = Faults::new(7, Plan::none().with(Mishap::WatchEnd, 0.2).with(mishap, 0.3));
        let (known, truth) = known_and_true(&faults).await;
        assert!(!truth.is_empty());
        assert_eq!(known, truth, "after {mishap}");
        let happened = faults.log().iter().any(|incident| incident.mishap == mishap);
        assert!(happened || mishap == Mishap::StaleRead, "{mishap} never happened");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_survives_everything_at_once() {
    for seed in 1..=4 {
        let faults = Faults::new(seed, Plan::everything(0.2));
        let (known, truth) = known_and_true(&faults).await;
        assert_eq!(known, truth, "seed {seed}");
        assert!(!faults.log().is_empty(), "something went wrong");
    }
}
