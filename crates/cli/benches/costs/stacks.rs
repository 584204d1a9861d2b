//! Whole stacks, all created at once, in a namespace each.

use crate::{TIMEOUT, manifests::until_ready, operator::Operator, server::Server, until_idle};
use api::v1beta1::HarborCluster;
use futures::{StreamExt as _, stream};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{Api, api::PostParams};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long requests of the idle operator are counted.
const UNCHANGED: Duration = Duration::from_secs(30);

/// Prints a line for each number of stacks.
pub async fn measure(numbers: &[usize]) {
    println!(
        "{:>6} {:>9} {:>9} {:>7} {:>7} {:>7} {:>12} {:>9} {:>9} {:>9} {:>7}",
        "stacks",
        "ready",
        "requests",
        "GET",
        "PATCH",
        "POST",
        "writes/child",
        "CPU",
        "MiB idle",
        "MiB ready",
        "idle 30 s"
    );
    for number in numbers {
        measure_one(*number).await;
    }
}

async fn measure_one(number: usize) {
    let server = Server::start().await;
    let operator = Operator::start(&server.kubeconfig);
    until_idle(&server.counts).await;
    let idle = operator.memory_mib();
    server.counts.take();

    let start = Instant::now();
    let create = stream::iter(0..number).for_each_concurrent(4, |index| create(&server, index));
    let ready = async {
        timeout(TIMEOUT, until_ready::<HarborCluster>(&server.client, number))
            .await
            .expect("all stacks become ready");
        start.elapsed()
    };
    let ((), ready) = tokio::join!(create, ready);
    until_idle(&server.counts).await;
    let cpu = operator.cpu_seconds();
    let sent = server.counts.take();
    let memory = operator.memory_mib();
    sleep(UNCHANGED).await;
    let unchanged = server.counts.take();

    println!(
        "{number:>6} {:>7.1} s {:>9} {:>7} {:>7} {:>7} {:>12.2} {:>7.1} s {idle:>9.1} {memory:>9.1} {:>7}",
        ready.as_secs_f64(),
        sent.requests(),
        sent.of("GET"),
        sent.of("PATCH"),
        sent.of("POST"),
        sent.writes_per_child(),
        cpu,
        unchanged.requests(),
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
