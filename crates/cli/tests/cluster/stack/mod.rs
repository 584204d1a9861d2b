//! A HarborCluster as a whole, with stand-ins for the operators it depends on.

mod adoption;
mod data;
mod emptied;
mod order;
mod samples;
mod versions;

use crate::{
    harbor::Cluster,
    world::{World, documents, root},
};
use api::v1beta1::{Condition, HarborCluster};
use serde_json::{Value, json};
use std::path::PathBuf;

impl Cluster {
    /// Waits until a HarborCluster is healthy as its newest spec wants it.
    pub async fn until_healthy(&self, name: &str) -> HarborCluster {
        let healthy = |cluster: &HarborCluster| {
            let status = cluster.status.clone().unwrap_or_default();
            status.status.as_deref() == Some("healthy")
                && status.observation.observed_generation == cluster.metadata.generation
        };
        Box::pin(self.until::<HarborCluster>(name, healthy)).await
    }

    /// Deletes a HarborCluster, and waits until it is gone.
    pub async fn deleted(&self, name: &str) {
        self.delete::<HarborCluster>(name).await;
        Box::pin(self.until_gone::<HarborCluster>(name)).await;
    }

    /// Waits until a condition has this reason; its message.
    pub async fn until_condition(&self, name: &str, kind: &str, reason: &str) -> String {
        let found = |cluster: &HarborCluster| {
            let conditions = cluster.status.clone().unwrap_or_default().observation.conditions;
            let matches = |condition: &Condition| {
                condition.type_ == kind
                    && condition.reason.as_deref() == Some(reason)
                    && condition.observed_generation == cluster.metadata.generation
            };
            conditions.into_iter().find(matches)
        };
        let cluster = Box::pin(self.until::<HarborCluster>(name, |cluster| found(cluster).is_some())).await;
        found(&cluster).and_then(|condition| condition.message).unwrap_or_default()
    }
}

/// The objects of an example or a sample, but its namespace: each test has one of its own.
fn objects(file: PathBuf) -> Vec<Value> {
    documents(&file).into_iter().filter(|object| object["kind"] != "Namespace").collect()
}

fn in_cluster() -> Vec<Value> {
    objects(root().join("examples/in-cluster.yaml"))
}

/// The namespace of a test, with stand-ins and garbage collection.
async fn with_garbage_collector() -> Cluster {
    let setup = envtest::ControlPlane::with_controller_manager();
    Cluster::on(World::with_controller_manager(setup).await).await
}

/// The example with one field of the HarborCluster changed; null removes it.
pub fn with(pointer: &str, value: Value) -> Vec<Value> {
    let mut objects = in_cluster();
    let cluster = objects.iter_mut().find(|object| object["kind"] == "HarborCluster").unwrap();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    cluster.pointer_mut(parent).unwrap()[field] = value;
    objects
}

fn external_redis() -> Value {
    json!({"kind": "Redis", "spec": {"redis": {"host": "redis.caches.svc"}}})
}
