//! Tests of the storage of a HarborCluster.

mod adoption;
mod external;
mod minio;
mod refusals;

use crate::{cases::Case, harborcluster::HarborCluster};
use plan::DeletionBehavior;
use serde_json::{Value, json};

/// A HarborCluster whose MinIO does not exist yet.
fn a_cluster() -> Case<HarborCluster> {
    Case::golden("minio-new")
}

/// A HarborCluster whose MinIO is reached from outside, and is deleted with it.
fn an_exposed_cluster() -> Case<HarborCluster> {
    Case::golden("minio")
}

fn with(mut case: Case<HarborCluster>, input: Value) -> Case<HarborCluster> {
    case.inputs.push(input);
    case
}

/// The generated Secret of the MinIO.
fn the_credentials() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "minio-acme-creds", "namespace": "registry"},
        "data": {"accesskey": crate::cases::base64(b"access"), "secretkey": crate::cases::base64(b"topsecret")},
    })
}

/// The children, as `Kind name`, that are kept or deleted in this way.
fn with_deletion(case: &Case<HarborCluster>, deletion: DeletionBehavior) -> Vec<String> {
    let plan = case.plan().unwrap();
    let with_deletion = plan.graph.iter().filter(|(_, desired, _)| desired.deletion == deletion);
    let shown = |key: plan::ObjectKey| format!("{} {}", key.kind, key.name);
    with_deletion.map(|(_, desired, _)| shown(desired.object.key())).collect()
}

fn named(case: &Case<HarborCluster>, kind: &str, name: &str) -> Value {
    let mut children = case.children().into_iter();
    children.find(|child| child["kind"] == kind && child["metadata"]["name"] == name).unwrap()
}

fn harbor_storage(case: &Case<HarborCluster>) -> Value {
    case.child("Harbor")["spec"]["imageChartStorage"].clone()
}
