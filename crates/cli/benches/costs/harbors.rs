//! Minimal Harbors, and a restart of the operator with them.

use crate::{PATIENCE, operator::Operator, rest, server::Server};
use api::v1beta1::Harbor;
use futures::StreamExt as _;
use kube::{
    Api, Client, Resource,
    api::PostParams,
    core::{DynamicObject, GroupVersionKind},
    discovery::pinned_kind,
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::Value;
use std::{collections::BTreeSet, path::Path, pin::pin};
use tokio::time::timeout;

/// Prints two lines for each number of Harbors: their creation, and a restart with them.
pub async fn measure(numbers: &[usize]) {
    println!(
        "{:>16} {:>9} {:>7} {:>7} {:>8} {:>9} {:>9}",
        "Harbors", "requests", "reads", "writes", "watches", "CPU", "MiB"
    );
    for number in numbers {
        measure_one(*number).await;
    }
}

async fn measure_one(number: usize) {
    let server = Server::start().await;
    let mut operator = Operator::start(&server.kubeconfig);
    rest(&server.counts).await;
    line("none, idle", &server, &operator);

    for input in documents("harbor-inputs.yaml") {
        create(&server.client, input).await;
    }
    let minimal = documents("harbor.yaml").remove(0);
    for index in 0..number {
        let mut harbor = minimal.clone();
        harbor["metadata"]["name"] = format!("acme-{index:04}").into();
        create(&server.client, harbor).await;
    }
    timeout(PATIENCE, until_ready(&server.client, number)).await.expect("all Harbors become ready");
    rest(&server.counts).await;
    line(&format!("{number} created"), &server, &operator);

    drop(operator);
    server.counts.take();
    operator = Operator::start(&server.kubeconfig);
    rest(&server.counts).await;
    line(&format!("{number}, restart"), &server, &operator);
    println!("{:>16}", server.version);
}

fn line(what: &str, server: &Server, operator: &Operator) {
    let sent = server.counts.take();
    println!(
        "{what:>16} {:>9} {:>7} {:>7} {:>8} {:>7.2} s {:>9.1}",
        sent.requests(),
        sent.reads(),
        sent.writes(),
        sent.watches(),
        operator.cpu_seconds(),
        operator.memory_mib(),
    );
}

fn documents(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    serde_saphyr::from_multiple(&std::fs::read_to_string(path).unwrap()).unwrap()
}

async fn create(client: &Client, mut object: Value) {
    object["metadata"].as_object_mut().unwrap().remove("namespace");
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let types = object.types.clone().unwrap();
    let gvk = GroupVersionKind::try_from(types).unwrap();
    let (resource, _) = pinned_kind(client, &gvk).await.unwrap();
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
    api.create(&PostParams::default(), &object).await.unwrap();
}

async fn until_ready(client: &Client, number: usize) {
    let api: Api<Harbor> = Api::namespaced(client.clone(), "default");
    let mut events = pin!(watcher(api, watcher::Config::default()).applied_objects());
    let mut ready = BTreeSet::new();
    while ready.len() < number {
        let harbor = events.next().await.unwrap().unwrap();
        let conditions = harbor.status.iter().flat_map(|status| &status.conditions);
        if conditions.clone().any(|it| it.type_ == "Ready" && it.status == "True") {
            ready.insert(harbor.meta().name.clone());
        }
    }
}
