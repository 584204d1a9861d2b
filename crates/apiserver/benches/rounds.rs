//! Create, watch, reconcile, in process: how long a round takes, and what it allocates.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark fails by panicking")]

use apiserver::ApiServer;
use divan::{AllocProfiler, Bencher, counter::ItemsCount};
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ListParams, ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{Controller, controller::Action, watcher},
};
use serde_json::json;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn config_map(name: String) -> ConfigMap {
    ConfigMap { metadata: ObjectMeta { name: Some(name), ..ObjectMeta::default() }, ..ConfigMap::default() }
}

/// Every object is created, seen by a controller's watch, and read back by its reconciler.
#[divan::bench(args = [100, 2000], sample_count = 5, sample_size = 1)]
fn create_watch_reconcile(bencher: Bencher<'_, '_>, rounds: usize) {
    bencher.counter(ItemsCount::new(rounds)).bench(|| {
        runtime().block_on(async {
            let client = Client::new(ApiServer::new(), "default");
            let api: Api<ConfigMap> = Api::default_namespaced(client.clone());
            let reconciled = Controller::new(api.clone(), watcher::Config::default()).run(
                |object, api: Arc<Api<ConfigMap>>| async move {
                    api.get(&object.name_any()).await?;
                    Ok::<_, kube::Error>(Action::await_change())
                },
                |_, _, _| Action::await_change(),
                Arc::new(api.clone()),
            );
            let create = async {
                for n in 0..rounds {
                    api.create(&PostParams::default(), &config_map(format!("c{n}"))).await.unwrap();
                }
            };
            futures::join!(create, reconciled.take(rounds).for_each(|_| async {}));
        });
    });
}

/// The same configuration again: found to change nothing.
#[divan::bench]
fn apply_without_a_change(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    // The client has a task of its own.
    let _inside = runtime.enter();
    let api: Api<ConfigMap> = Api::default_namespaced(Client::new(ApiServer::new(), "default"));
    let object =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
    let apply =
        || runtime.block_on(api.patch("a", &PatchParams::apply("bench"), &Patch::Apply(&object))).unwrap();
    apply();
    bencher.bench_local(apply);
}

/// One list of a thousand objects.
#[divan::bench]
fn list_a_thousand(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    // The client has a task of its own.
    let _inside = runtime.enter();
    let api: Api<ConfigMap> = Api::default_namespaced(Client::new(ApiServer::new(), "default"));
    runtime.block_on(async {
        for n in 0..1000 {
            api.create(&PostParams::default(), &config_map(format!("c{n}"))).await.unwrap();
        }
    });
    bencher.bench_local(|| runtime.block_on(api.list(&ListParams::default())).unwrap());
}
