//! Many whole stacks at once: a Kubernetes API in memory serves them, and the operator is a process of its own.
//!
//! `cargo bench -p cli --bench stacks`, or with other numbers of stacks: `… -- 10 50 100 500`. Prints what it took until
//! all were ready, and what was sent afterwards, which should be nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "a benchmark fails by panicking")]

mod counted;
mod operator;
mod server;

use api::v1beta1::HarborCluster;
use counted::Counts;
use futures::{StreamExt as _, stream};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{
    Api,
    api::PostParams,
    runtime::{WatchStreamExt as _, watcher},
};
use operator::Operator;
use serde_json::{Value, json};
use server::Server;
use std::{collections::BTreeSet, pin::pin, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// How long all stacks together may take.
const PATIENCE: Duration = Duration::from_mins(20);
/// How long nothing must have been sent for the operator to be at rest, and how long it is listened to then.
const REST: Duration = Duration::from_secs(3);
const SILENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let numbers = if asked.is_empty() { vec![1, 10, 100] } else { asked };
    println!(
        "{:>6} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>12} {:>9} {:>9} {:>9} {:>7}",
        "stacks",
        "ready",
        "each",
        "requests",
        "GET",
        "PATCH",
        "POST",
        "writes/child",
        "CPU",
        "MiB idle",
        "MiB ready",
        "silence"
    );
    for number in numbers {
        measure(number).await;
    }
}

async fn measure(number: usize) {
    let server = Server::start().await;
    let operator = Operator::start(&server.kubeconfig);
    let rest = |counts: Counts| async move {
        loop {
            let before = counts.total();
            sleep(REST).await;
            if counts.total() == before {
                return;
            }
        }
    };
    rest(server.counts.clone()).await;
    let idle = operator.memory_mib();
    server.counts.take();

    let start = Instant::now();
    let create = stream::iter(0..number).for_each_concurrent(4, |index| create(&server, index));
    let ready = async {
        timeout(PATIENCE, until_ready(&server, number)).await.expect("all stacks become ready");
        start.elapsed()
    };
    let ((), ready) = tokio::join!(create, ready);
    rest(server.counts.clone()).await;
    let cpu = operator.cpu_seconds();
    let sent = server.counts.take();
    let memory = operator.memory_mib();
    sleep(SILENCE).await;
    let silence = server.counts.take();

    println!(
        "{number:>6} {:>7.1} s {:>7.2} s {:>9} {:>7} {:>7} {:>7} {:>12.2} {:>7.1} s {idle:>9.1} {memory:>9.1} {:>7}",
        ready.as_secs_f64(),
        ready.as_secs_f64() / f64::from(u32::try_from(number).unwrap()),
        sent.requests(),
        sent.of("GET"),
        sent.of("PATCH"),
        sent.of("POST"),
        sent.writes_per_child(),
        cpu,
        silence.requests(),
    );
}

fn name(index: usize) -> String {
    format!("stack-{index:04}")
}

async fn create(server: &Server, index: usize) {
    let name = name(index);
    let namespaces: Api<Namespace> = Api::all(server.client.clone());
    let namespace = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    let secrets: Api<Secret> = Api::namespaced(server.client.clone(), &name);
    let secret = serde_json::from_value(
        json!({"metadata": {"name": "admin"}, "stringData": {"secret": "Harbor12345"}}),
    );
    secrets.create(&PostParams::default(), &secret.unwrap()).await.unwrap();
    let clusters: Api<HarborCluster> = Api::namespaced(server.client.clone(), &name);
    clusters.create(&PostParams::default(), &serde_json::from_value(stack(&name)).unwrap()).await.unwrap();
}

/// Everything in the cluster: database, Redis and storage, and every component a current Harbor has.
fn stack(name: &str) -> Value {
    let host = format!("{name}.example.com");
    json!({
        "metadata": {"name": "harbor"},
        "spec": {
            "version": "2.15.0",
            "externalURL": format!("https://{host}"),
            "harborAdminPasswordRef": "admin",
            "expose": {"core": {"ingress": {"host": host}, "tls": {}}},
            "internalTLS": {"enabled": true},
            "portal": {},
            "trivy": {"storage": {}},
            "exporter": {},
            "cache": {
                "kind": "RedisFailover",
                "spec": {"redisFailover": {"operatorVersion": "1.3", "server": {}, "sentinel": {}}},
            },
            "database": {
                "kind": "Zlando/PostgreSQL",
                "spec": {"zlandoPostgreSql": {"operatorVersion": "1.14"}},
            },
            "storage": {
                "kind": "MinIO",
                "spec": {"minIO": {"replicas": 2, "volumesPerServer": 2}, "redirect": {"enable": false}},
            },
        },
    })
}

async fn until_ready(server: &Server, number: usize) {
    let api: Api<HarborCluster> = Api::all(server.client.clone());
    let mut events = pin!(watcher(api, watcher::Config::default()).applied_objects());
    let mut ready = BTreeSet::new();
    while ready.len() < number {
        let cluster = events.next().await.unwrap().unwrap();
        let status = cluster.status.unwrap_or_default();
        if status.observation.conditions.iter().any(|it| it.type_ == "Ready" && it.status == "True") {
            ready.insert(cluster.metadata.namespace);
        }
    }
}
