//! A Harbor as a whole, with stand-ins for everything a cluster has besides the operator.

mod adoption;
mod claims;
mod counts;
mod data;
mod encryption_key;
mod exposure;
mod faults;
mod htpasswd;
mod lifecycle;
mod names;
mod order;
mod removal;
mod upgrade;

use crate::{
    keys,
    world::{Running, World, documents, root},
};
use api::v1beta1::{ComponentStatus, Harbor, Registry};
use envtest::{ControlPlane, Kind, Requests};
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::api::ListParams;
use sandbox::{StandIns, definitions};
use serde_json::{Value, json};
use std::ops::Deref;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A namespace in which workloads become ready and certificates are issued.
pub struct Cluster {
    world: World,
    _stand_ins: DropGuard,
}

impl Deref for Cluster {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Cluster {
    /// With what a Harbor reads, and without a Harbor.
    pub async fn new() -> Self {
        Self::with_inputs(World::new().await).await
    }

    /// The same, with garbage collection.
    pub async fn with_garbage_collector() -> Self {
        let setup = ControlPlane::with_controller_manager();
        Self::with_inputs(World::with_controller_manager(setup).await).await
    }

    async fn with_inputs(world: World) -> Self {
        let cluster = Self::on(world).await;
        cluster.apply(inputs()).await;
        cluster
    }

    pub async fn on(world: World) -> Self {
        let install = async || world.plane.install_generated("kinds-of-others", definitions::all).await;
        world.plane.once("kinds of others", install).await;
        Self::with_stand_ins(world)
    }

    /// With these definitions of the kinds that are not ours.
    pub async fn with_definitions(world: World, definitions: Vec<Value>) -> Self {
        world.plane.install(&definitions).await;
        Self::with_stand_ins(world)
    }

    fn with_stand_ins(world: World) -> Self {
        let stop = CancellationToken::new();
        let stand_ins =
            StandIns::new(world.plane.client()).within(&world.name).keys(keys::known).run(stop.clone());
        tokio::spawn(stand_ins);
        Self { world, _stand_ins: stop.drop_guard() }
    }

    /// A Harbor that is ready, and an operator that has come to rest.
    pub async fn ready(&self, requests: &Requests, harbor: Value) -> Running {
        let operator = self.world.operator(requests);
        self.apply(vec![harbor]).await;
        self.until_ready("acme").await;
        requests.until_quiet().await;
        operator
    }

    /// Waits until a Harbor is ready as its newest spec wants it.
    pub async fn until_ready(&self, name: &str) -> Harbor {
        self.until::<Harbor>(name, |harbor| {
            is_ready(harbor.metadata.generation, harbor.status.as_ref().map(|status| &status.common))
        })
        .await
    }

    /// A Harbor with everything version 2.15 has, as far as this API server knows it: the one in Debian is older than
    /// budgets and autoscalers as they are today.
    pub fn full(&self) -> Value {
        let full = documents(&root().join("examples/harbor-full.yaml"));
        self.as_far_as_known(full).remove(0)
    }

    /// Objects without what this API server is too old for.
    pub fn as_far_as_known(&self, mut objects: Vec<Value>) -> Vec<Value> {
        if !self.plane.version().at_least(1, 23) {
            objects.iter_mut().filter_map(|object| object.get_mut("spec")?.as_object_mut()).for_each(
                |spec| {
                    for component in spec.values_mut().filter_map(Value::as_object_mut) {
                        component.remove("podDisruptionBudget");
                        component.remove("autoscaling");
                    }
                },
            );
        }
        objects
    }

    /// Names and uids of all volumes that are claimed.
    pub async fn claims(&self) -> Vec<(String, String)> {
        let list = self.api::<PersistentVolumeClaim>().list(&ListParams::default()).await.unwrap();
        let named = |claim: PersistentVolumeClaim| Some((claim.metadata.name?, claim.metadata.uid?));
        let mut claims: Vec<_> = list.items.into_iter().filter_map(named).collect();
        claims.sort();
        claims
    }

    /// Names of all objects of a kind.
    pub async fn names<K: Kind>(&self) -> Vec<String> {
        let list = self.api::<K>().list(&ListParams::default()).await.unwrap();
        let mut names: Vec<_> = list.items.into_iter().filter_map(|it| it.meta().name.clone()).collect();
        names.sort();
        names
    }
}

/// Whether a status says so of the newest spec.
pub fn is_ready(generation: Option<i64>, status: Option<&ComponentStatus>) -> bool {
    let conditions = status.into_iter().flat_map(|status| &status.conditions);
    conditions
        .into_iter()
        .any(|c| c.type_ == "Ready" && c.status == "True" && c.observed_generation == generation)
}

/// The minimal Harbor of the example.
pub fn minimal() -> Value {
    documents(&root().join("examples/harbor.yaml")).remove(0)
}

/// What both read, and who signs the token certificate.
pub fn inputs() -> Vec<Value> {
    documents(&root().join("examples/harbor-inputs.yaml"))
}

/// The Harbor with one field changed.
pub fn with(mut harbor: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    let parent = if parent.is_empty() { &mut harbor } else { harbor.pointer_mut(parent).unwrap() };
    match value {
        Value::Null => drop(parent.as_object_mut().unwrap().remove(field)),
        value => parent[field] = value,
    }
    harbor
}

/// A claim of this name.
pub fn claim(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    })
}

/// The claim that images are on, if they are.
pub fn images(registry: &Registry) -> Option<String> {
    let filesystem = registry.spec.storage.driver.filesystem.as_ref()?;
    Some(filesystem.volume_source.volume("").persistent_volume_claim?.claim_name)
}

/// The Harbor under another name, with its own ingress host.
pub fn called(harbor: Value, name: &str) -> Value {
    with(harbor, "/metadata/name", json!(name))
}
