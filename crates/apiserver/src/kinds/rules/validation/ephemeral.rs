//! Ephemeral containers: they are added to a pod that exists, and stay as they are.

use super::container::{Surroundings, each};
use crate::{
    failure::Cause,
    kinds::value::{items, text},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const FIELD: &str = "ephemeralContainers";

/// What only containers have that begin with the pod.
const FORBIDDEN: [&str; 8] = [
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "resizePolicy",
    "resources",
    "restartPolicy",
    "startupProbe",
];

/// The ephemeral containers of a pod.
pub(super) fn containers(spec: &Value, around: &Surroundings<'_>, path: &str, causes: &mut Vec<Cause>) {
    let named = |list: &str| items(spec, list).iter().map(|container| text(container, "name"));
    let targets: BTreeSet<_> = named("containers").collect();
    let mut taken: BTreeSet<_> = targets.iter().copied().chain(named("initContainers")).collect();
    for (index, container) in items(spec, FIELD).iter().enumerate() {
        let path = format!("{path}.{FIELD}[{index}]");
        each(container, around, &path, causes);
        let name = text(container, "name");
        if !name.is_empty() && !taken.insert(name) {
            causes.push(Cause::duplicate(format!("{path}.name"), &json!(name)));
        }
        let target = text(container, "targetContainerName");
        if !target.is_empty() && !targets.contains(target) {
            causes.push(Cause::not_found(format!("{path}.targetContainerName"), &json!(target)));
        }
        for field in FORBIDDEN.into_iter().filter(|field| is_set(&container[*field])) {
            let message = "cannot be set for an Ephemeral Container";
            causes.push(Cause::forbidden(format!("{path}.{field}"), message));
        }
    }
}

/// A pod is created without them.
pub(super) fn none(pod: &Value, causes: &mut Vec<Cause>) {
    if !items(&pod["spec"], FIELD).is_empty() {
        causes.push(Cause::forbidden(format!("spec.{FIELD}"), "cannot be set on create"));
    }
}

/// Containers that exist stay as they are.
pub(super) fn added(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let path = format!("spec.{FIELD}");
    if old["metadata"]["annotations"]["kubernetes.io/config.mirror"].is_string() {
        causes.push(Cause::forbidden("", "static pods do not support ephemeral containers"));
        return;
    }
    let after = items(&new["spec"], FIELD);
    for container in items(&old["spec"], FIELD) {
        let name = text(container, "name");
        match after.iter().find(|other| text(other, "name") == name) {
            Some(same) if same == container => {}
            Some(_) => {
                let message = format!("existing ephemeral containers {name:?} may not be changed");
                causes.push(Cause::forbidden(&*path, &message));
            }
            None => {
                let message = format!("existing ephemeral containers {name:?} may not be removed\n");
                causes.push(Cause::forbidden(&*path, &message));
            }
        }
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}
