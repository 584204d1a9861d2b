//! Everything in the namespace, without what may differ from one run to the next.

use crate::cluster::{Cluster, NAMESPACE};
use api::names::UPSTREAM_ADDRESSES_ANNOTATION;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, ListParams},
    discovery::{Discovery, Scope, verbs},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Objects by kind and name.
pub struct Objects(BTreeMap<String, Value>);

impl Objects {
    /// All of them, but events.
    pub async fn of(cluster: &Cluster) -> Self {
        let discovery = Discovery::new(cluster.client.clone()).run().await.unwrap();
        let mut objects = BTreeMap::new();
        for group in discovery.groups() {
            for (resource, capabilities) in group.recommended_resources() {
                if capabilities.scope == Scope::Namespaced
                    && capabilities.supports_operation(verbs::LIST)
                    && !["Event", "Lease"].contains(&resource.kind.as_str())
                {
                    objects.extend(listed(cluster, &resource).await);
                }
            }
        }
        Self(objects)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The same without the revisions of Deployments, which count how often their templates have changed.
    pub fn without_revisions(mut self) -> Self {
        for object in self.0.values_mut() {
            if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
                annotations.remove("deployment.kubernetes.io/revision");
            }
        }
        self
    }

    /// The others are the same.
    pub fn assert_same(&self, others: &Self) {
        let names = |objects: &Self| objects.0.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(self), names(others));
        for (name, object) in &self.0 {
            assert_eq!(object, &others.0[name], "{name}");
        }
    }
}

async fn listed(cluster: &Cluster, resource: &ApiResource) -> Vec<(String, Value)> {
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client.clone(), NAMESPACE, resource);
    let list = api.list(&ListParams::default()).await.unwrap();
    let named = |object: DynamicObject| {
        let name = format!("{} {}", resource.kind, object.metadata.name.clone().unwrap_or_default());
        (name, steady(&resource.kind, json!(object)))
    };
    list.items.into_iter().filter(|object| is_ours(resource, object)).map(named).collect()
}

/// Pods have generated names, and so have the objects that belong to them.
fn is_ours(resource: &ApiResource, object: &DynamicObject) -> bool {
    let generated =
        ["Pod", "ReplicaSet", "EndpointSlice", "Endpoints", "ControllerRevision", "CertificateRequest"];
    !generated.contains(&resource.kind.as_str()) && object.metadata.namespace.as_deref() == Some(NAMESPACE)
}

/// The object without times, identities, counters, and generated values.
fn steady(kind: &str, mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
            metadata.remove(field);
        }
        // What was removed from them leaves them empty.
        for field in ["annotations", "finalizers"] {
            let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
            if metadata.get(field).is_some_and(is_empty) {
                metadata.remove(field);
            }
        }
        for owner in metadata.get_mut("ownerReferences").and_then(Value::as_array_mut).into_iter().flatten() {
            owner["uid"] = Value::Null;
        }
    }
    if kind == "Secret"
        && let Some(data) = object["data"].as_object_mut()
    {
        data.values_mut().for_each(|value| *value = Value::Null);
    }
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
    }
    // Which volume and which address come next is a matter of order.
    if let Some(spec) = object["spec"].as_object_mut() {
        for field in ["volumeName", "clusterIP", "clusterIPs"] {
            spec.remove(field);
        }
    }
    without_digests(&mut object);
    object
}

/// Digests depend on generated values, and the reverse proxy restarts for addresses, which depend on order.
fn without_digests(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| {
                !name.starts_with("checksum.goharbor.io/") && name != UPSTREAM_ADDRESSES_ANNOTATION
            });
            fields.values_mut().for_each(without_digests);
        }
        Value::Array(items) => items.iter_mut().for_each(without_digests),
        _ => {}
    }
}
