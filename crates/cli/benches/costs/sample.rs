//! The full sample of the old operator: one HarborCluster with everything that a Harbor of its time had.

use crate::{
    TIMEOUT,
    manifests::{create, documents, until_ready},
    operator::Operator,
    server::Server,
    until_idle,
};
use api::v1beta1::HarborCluster;
use tokio::time::timeout;

/// Beside the repository.
const SAMPLE: &str = "../shared/data/upstream-samples/full_stack.yaml";
const SUBSTITUTE: &str = "examples/in-cluster.yaml";

/// Prints the requests from creation until the operator is idle.
pub async fn measure() {
    let (path, objects) = match documents(SAMPLE) {
        Some(objects) => (SAMPLE, objects),
        None => (SUBSTITUTE, documents(SUBSTITUTE).unwrap()),
    };
    let server = Server::start().await;
    let _operator = Operator::start(&server.kubeconfig);
    until_idle(&server.counts).await;
    server.counts.take();
    for object in objects {
        create(&server.client, object).await;
    }
    timeout(TIMEOUT, until_ready::<HarborCluster>(&server.client, 1))
        .await
        .expect("the sample becomes ready");
    until_idle(&server.counts).await;
    let sent = server.counts.take();
    println!("{path}: {} requests, {} of them reads of one object\n", sent.requests(), sent.reads());
}
