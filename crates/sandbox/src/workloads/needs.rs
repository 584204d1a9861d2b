//! The objects that a pod needs before a kubelet can start it.

use crate::{dependents::claims, kind::Kind, world::World};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::Value;

/// Why a pod does not start, as the kubelet or the scheduler reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A claim is not bound, so the pod cannot be scheduled.
    Claim(String),
    /// A volume cannot be mounted, so its containers stay in `ContainerCreating`.
    Volume(String),
    /// The environment of an init container cannot be created. Those before it have ended.
    InitEnvironment {
        /// Its name.
        step: String,
        /// What is missing.
        message: String,
    },
    /// The environment of a container cannot be created. Its init containers have ended, and its node has the image.
    Environment(String),
}

/// The reason why a pod cannot start, if there is one.
pub(crate) fn missing(world: &World, pod: &DynamicObject) -> Option<Missing> {
    let namespace = pod.namespace().unwrap_or_default();
    unbound_claim(world, &namespace, pod)
        .or_else(|| unmounted(world, &namespace, &pod.data["spec"]).map(Missing::Volume))
        .or_else(|| {
            let unset = unset(world, &namespace, &pod.data["spec"]["initContainers"]);
            unset.map(|(step, message)| Missing::InitEnvironment { step, message })
        })
        .or_else(|| {
            let unset = unset(world, &namespace, &pod.data["spec"]["containers"]);
            unset.map(|(_, message)| Missing::Environment(message))
        })
}

fn unbound_claim(world: &World, namespace: &str, pod: &DynamicObject) -> Option<Missing> {
    claims(pod).find_map(|name| match world.find(Kind::PersistentVolumeClaim, namespace, &name) {
        None => Some(Missing::Claim(format!("persistentvolumeclaim {name:?} not found"))),
        Some(claim) if claim.data["status"]["phase"] != "Bound" => {
            Some(Missing::Claim("pod has unbound immediate PersistentVolumeClaims".to_owned()))
        }
        Some(_) => None,
    })
}

fn unmounted(world: &World, namespace: &str, spec: &Value) -> Option<String> {
    list(&spec["volumes"]).find_map(|volume| {
        let projected = list(&volume["projected"]["sources"]);
        [volume].into_iter().chain(projected).find_map(|source| {
            let (kind, source, name) = if source["secret"].is_object() {
                let secret = &source["secret"];
                // A volume has `secretName`, a projection has `name`.
                (Kind::Secret, secret, secret["secretName"].as_str().or(secret["name"].as_str())?)
            } else {
                (Kind::ConfigMap, &source["configMap"], source["configMap"]["name"].as_str()?)
            };
            let keys = list(&source["items"]).filter_map(|item| item["key"].as_str());
            absent(world, namespace, kind, name, keys, &source["optional"])
        })
    })
}

/// The first container whose environment cannot be created, and what is missing.
fn unset(world: &World, namespace: &str, containers: &Value) -> Option<(String, String)> {
    list(containers).find_map(|container| {
        let whole = list(&container["envFrom"])
            .flat_map(|from| [(Kind::Secret, &from["secretRef"]), (Kind::ConfigMap, &from["configMapRef"])]);
        let single = list(&container["env"]).flat_map(|variable| {
            let from = &variable["valueFrom"];
            [(Kind::Secret, &from["secretKeyRef"]), (Kind::ConfigMap, &from["configMapKeyRef"])]
        });
        let message = whole.chain(single).find_map(|(kind, reference)| {
            let name = reference["name"].as_str()?;
            absent(
                world,
                namespace,
                kind,
                name,
                reference["key"].as_str().into_iter(),
                &reference["optional"],
            )
        });
        Some((container["name"].as_str().unwrap_or_default().to_owned(), message?))
    })
}

/// The message of the kubelet about a missing object or key.
fn absent<'k>(
    world: &World,
    namespace: &str,
    kind: Kind,
    name: &str,
    mut keys: impl Iterator<Item = &'k str>,
    optional: &Value,
) -> Option<String> {
    if optional == &Value::Bool(true) {
        return None;
    }
    let (lower, upper) = if kind == Kind::Secret { ("secret", "Secret") } else { ("configmap", "ConfigMap") };
    let Some(object) = world.find(kind, namespace, name) else {
        return Some(format!("{lower} {name:?} not found"));
    };
    let has = |key: &str| ["data", "binaryData"].iter().any(|field| object.data[*field].get(key).is_some());
    let key = keys.find(|key| !has(key))?;
    Some(format!("couldn't find key {key} in {upper} {namespace}/{name}"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
