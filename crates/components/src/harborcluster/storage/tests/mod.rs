//! Sentences about the storage of a HarborCluster.

mod adoption;
mod external;
mod minio;
mod refusals;

use crate::{cases::Case, harborcluster::HarborCluster};
use plan::DeletionBehavior;
use serde_json::{Value, json};

/// One with a MinIO that nobody has made yet.
fn a_cluster() -> Case<HarborCluster> {
    Case::golden("minio-new")
}

/// One whose MinIO is reached from outside, and goes with it.
fn an_exposed_cluster() -> Case<HarborCluster> {
    Case::golden("minio")
}

fn with(mut case: Case<HarborCluster>, input: Value) -> Case<HarborCluster> {
    case.inputs.push(input);
    case
}

/// The Secret that was made for the MinIO.
fn the_credentials() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "minio-acme-creds", "namespace": "registry"},
        "data": {"accesskey": crate::cases::base64(b"access"), "secretkey": crate::cases::base64(b"topsecret")},
    })
}

/// The children, as `Kind name`, that are tied so to the cluster.
fn tied(case: &Case<HarborCluster>, tie: DeletionBehavior) -> Vec<String> {
    let plan = case.plan().unwrap();
    let tied = plan.graph.iter().filter(|(_, desired, _)| desired.deletion == tie);
    let shown = |key: plan::ObjectKey| format!("{} {}", key.kind, key.name);
    tied.map(|(_, desired, _)| shown(desired.object.key())).collect()
}

fn named(case: &Case<HarborCluster>, kind: &str, name: &str) -> Value {
    let mut children = case.children().into_iter();
    children.find(|child| child["kind"] == kind && child["metadata"]["name"] == name).unwrap()
}

fn harbor_storage(case: &Case<HarborCluster>) -> Value {
    case.child("Harbor")["spec"]["imageChartStorage"].clone()
}
