//! The Services and StatefulSets that third-party operators create for their resources.

use crate::{
    kind::Kind,
    world::World,
    write::{ReconcileError, owned_by},
};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Map, Value, json};

/// The objects that a resource of a third-party operator owns.
#[derive(Clone, Copy)]
pub(crate) struct Owned<'a> {
    pub world: &'a World,
    pub kind: Kind,
    pub owner: &'a DynamicObject,
}

/// Whether a Service has a cluster IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Own,
    Headless,
}

/// A set of servers.
pub(crate) struct Servers<'a> {
    pub name: String,
    pub labels: Value,
    pub replicas: i64,
    pub service: String,
    pub image: &'a str,
    pub container: &'a str,
    pub port: i64,
    pub environment: Value,
    pub parallel: bool,
    /// Names of claims with their specs.
    pub claims: Vec<(String, Value)>,
}

impl Owned<'_> {
    /// Ensures a Service. Ports have a name, a number and a target.
    pub async fn service(
        &self,
        name: &str,
        selector: &Value,
        ports: &[(&str, i64, i64)],
        address: Address,
    ) -> Result<(), ReconcileError> {
        let ports: Vec<Value> = ports
            .iter()
            .map(|(name, port, target)| {
                json!({"name": name, "port": port, "targetPort": target, "protocol": "TCP"})
            })
            .collect();
        let mut spec = json!({"selector": selector, "ports": ports});
        if address == Address::Headless {
            spec["clusterIP"] = "None".into();
        }
        let service = json!({"metadata": self.metadata(name, selector), "spec": spec});
        self.world.apply(Kind::Service, service).await
    }

    /// Ensures a StatefulSet, and returns how many pods of its newest template are ready.
    pub async fn servers(&self, servers: &Servers<'_>) -> Result<i64, ReconcileError> {
        let claims: Vec<Value> = servers
            .claims
            .iter()
            .map(|(name, spec)| json!({"metadata": {"name": name, "labels": servers.labels}, "spec": spec}))
            .collect();
        let mounts: Vec<Value> = servers
            .claims
            .iter()
            .map(|(name, _)| json!({"name": name, "mountPath": format!("/data/{name}")}))
            .collect();
        let mut spec = json!({
            "replicas": servers.replicas,
            "serviceName": servers.service,
            "selector": {"matchLabels": servers.labels},
            "podManagementPolicy": if servers.parallel { "Parallel" } else { "OrderedReady" },
            "template": {
                "metadata": {"labels": self.labels(&servers.labels)},
                "spec": {"containers": [{
                    "name": servers.container,
                    "image": servers.image,
                    "ports": [{"containerPort": servers.port, "protocol": "TCP"}],
                    "env": servers.environment,
                    "volumeMounts": mounts,
                }]},
            },
        });
        // The claim templates of an existing set cannot be changed.
        let namespace = self.owner.namespace().unwrap_or_default();
        let existing = self.world.find(Kind::StatefulSet, &namespace, &servers.name);
        let existing = existing.map(|set| set.data["spec"]["volumeClaimTemplates"].clone());
        spec["volumeClaimTemplates"] = existing.unwrap_or_else(|| claims.into());
        let set = json!({"metadata": self.metadata(&servers.name, &servers.labels), "spec": spec});
        self.world.apply(Kind::StatefulSet, set).await?;
        let set = self.world.find(Kind::StatefulSet, &namespace, &servers.name);
        Ok(set.map_or(0, |set| ready_replicas(&set)))
    }

    pub fn metadata(&self, name: &str, labels: &Value) -> Value {
        json!({
            "name": name,
            "namespace": self.owner.namespace(),
            "labels": self.labels(labels),
            "ownerReferences": owned_by(self.kind, self.owner),
        })
    }

    /// These labels, and those of the resource if its operator copies them to objects and pods. The selectors of sets
    /// do not get them.
    pub fn labels(&self, own: &Value) -> Value {
        let own = || own.as_object().cloned().unwrap_or_default();
        let handed_on = || self.owner.labels().iter().map(|(key, value)| (key.clone(), json!(value)));
        let labels: Map<String, Value> = match self.kind {
            Kind::RedisFailover => handed_on().chain(own()).collect(),
            Kind::Redis | Kind::RedisReplication | Kind::RedisSentinel => {
                own().into_iter().chain(handed_on()).collect()
            }
            _ => own(),
        };
        labels.into()
    }
}

/// How many replicas of a workload are ready and updated.
pub(crate) fn ready_replicas(workload: &DynamicObject) -> i64 {
    let status = &workload.data["status"];
    if status["observedGeneration"].as_i64() != workload.metadata.generation {
        return 0;
    }
    let number = |field: &str| status[field].as_i64().unwrap_or(0);
    number("readyReplicas").min(number("updatedReplicas"))
}

/// The claim of a server with this size and storage class.
pub(crate) fn claim(size: &Value, class: &Value) -> Value {
    json!({
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": size.as_str().unwrap_or("1Gi")}},
        "storageClassName": class,
    })
}
