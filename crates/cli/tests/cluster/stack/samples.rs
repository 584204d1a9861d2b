//! What the old operator's users have written becomes a running stack.

use super::{Cluster, objects};
use crate::world::{World, documents, root};
use api::v1beta1::{HarborCluster, HarborClusterStatus};
use envtest::{ControlPlane, Requests};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// A folder beside the project, if it is there.
fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    if !path.is_dir() {
        eprintln!("not tested: {} is not there", path.display());
        return None;
    }
    Some(path)
}

/// The conditions of the services.
fn services(status: &HarborClusterStatus) -> Vec<(&str, &str)> {
    let message = |kind: &str| {
        let conditions = &status.observation.conditions;
        let condition = conditions.iter().find(|condition| condition.type_ == kind)?;
        Some((condition.status.as_str(), condition.reason.as_deref()?))
    };
    ["CacheReady", "DatabaseReady", "StorageReady", "ServiceReady"]
        .iter()
        .filter_map(|kind| message(kind))
        .collect()
}

/// A control plane of its own with the real definitions of the other operators. Rules in them are younger than Debian's
/// API server, which therefore gets the definitions of the other tests.
async fn with_real_definitions() -> Option<Cluster> {
    let folder = shared("thirdparty-crds")?;
    let plane = ControlPlane::shared().await.unwrap();
    if !plane.version().serves_cel() {
        println!("not tested with the real definitions: this API server is too old for them");
        return Some(Cluster::on(World::on(plane).await).await);
    }
    let plane = ControlPlane::start().await.unwrap();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let definitions: Vec<Value> = files.iter().flat_map(|file| documents(file)).collect();
    Some(Cluster::with_definitions(World::on(plane).await, definitions).await)
}

async fn becomes_ready(sample: &str) {
    let Some(samples) = shared("upstream-samples") else { return };
    let Some(cluster) = with_real_definitions().await else { return };
    let _operator = cluster.operator(&Requests::default());
    let objects = objects(samples.join(sample));
    let name =
        objects.iter().find(|object| object["kind"] == "HarborCluster").unwrap()["metadata"]["name"].clone();
    cluster.apply(of_external_services()).await;
    cluster.apply(objects).await;

    let ready: HarborCluster = cluster.until_healthy(name.as_str().unwrap()).await;

    let status = ready.status.unwrap();
    assert!(services(&status).iter().all(|(status, _)| *status == "True"), "{:?}", services(&status));
    assert_eq!(services(&status).len(), 4);
}

#[tokio::test]
async fn the_full_sample_of_the_old_operator_becomes_ready() {
    becomes_ready("full_stack.yaml").await;
}

#[tokio::test]
async fn the_minimal_sample_with_volumes_becomes_ready() {
    becomes_ready("minimal_stack_fs.yaml").await;
}

#[tokio::test]
async fn the_minimal_sample_with_everything_in_the_cluster_becomes_ready() {
    becomes_ready("minimal_stack_incluster.yaml").await;
}

/// What the Redis and the PostgreSQL that the standard sample expects come with.
fn of_external_services() -> Vec<Value> {
    let secret = |name: &str, key: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {key: "example-only"},
        })
    };
    vec![secret("harbor-redis", "redis-password"), secret("harbor-database-password", "postgres-password")]
}

#[tokio::test]
async fn the_standard_sample_becomes_ready() {
    becomes_ready("standard_stack.yaml").await;
}

#[tokio::test]
async fn the_standard_sample_with_volumes_becomes_ready() {
    becomes_ready("standard_stack_fs.yaml").await;
}

#[tokio::test]
async fn every_example_becomes_ready() {
    for example in ["minimal.yaml", "in-cluster.yaml", "production.yaml"] {
        let cluster = Cluster::on(World::new().await).await;
        let _operator = cluster.operator(&Requests::default());
        let objects = objects(root().join("examples").join(example));
        cluster.apply(cluster.as_far_as_known(objects)).await;
        cluster.until_healthy("acme").await;
    }
}
