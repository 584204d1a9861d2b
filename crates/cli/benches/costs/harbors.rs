//! Minimal Harbors, and a restart of the operator with them.

use crate::{
    TIMEOUT,
    manifests::{create, documents, until_ready},
    operator::Operator,
    server::Server,
    until_idle,
};
use api::v1beta1::Harbor;
use serde_json::Value;
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
    until_idle(&server.counts).await;
    line("none, idle", &server, &operator);

    for mut input in documents("examples/harbor-inputs.yaml").unwrap() {
        in_default(&mut input);
        create(&server.client, input).await;
    }
    let mut minimal = documents("examples/harbor.yaml").unwrap().remove(0);
    in_default(&mut minimal);
    for index in 0..number {
        let mut harbor = minimal.clone();
        harbor["metadata"]["name"] = format!("acme-{index:04}").into();
        create(&server.client, harbor).await;
    }
    timeout(TIMEOUT, until_ready::<Harbor>(&server.client, number)).await.expect("all Harbors become ready");
    until_idle(&server.counts).await;
    line(&format!("{number} created"), &server, &operator);

    drop(operator);
    server.counts.take();
    operator = Operator::start(&server.kubeconfig);
    until_idle(&server.counts).await;
    line(&format!("{number}, restart"), &server, &operator);
    println!("{:>16}\n", server.version);
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

/// The examples name a namespace that this server does not have.
fn in_default(object: &mut Value) {
    object["metadata"].as_object_mut().unwrap().remove("namespace");
}
