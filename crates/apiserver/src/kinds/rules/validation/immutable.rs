//! Immutable fields.

use crate::{
    failure::Cause,
    kinds::value::{entries, items, items_mut, text, unset},
};
use serde_json::{Value, json};

/// A field that must not change. `prefix` is the path of its parent with a dot, or empty.
pub(super) fn unchanged(old: &Value, new: &Value, field: &str, prefix: &str, causes: &mut Vec<Cause>) {
    let (before, after) = (old.get(field).unwrap_or(&Value::Null), new.get(field).unwrap_or(&Value::Null));
    if before != after {
        let shown = match (before, after) {
            (Value::String(_), Value::Null) => &json!(""),
            _ => after,
        };
        causes.push(Cause::invalid(format!("{prefix}{field}"), shown, "field is immutable"));
    }
}

/// An immutable ConfigMap or Secret.
pub(super) fn sealed(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    if old["immutable"] != json!(true) {
        return;
    }
    let message = "field is immutable when `immutable` is set";
    if new["immutable"] != json!(true) {
        causes.push(Cause::forbidden("immutable", message));
    }
    for field in ["data", "binaryData"] {
        if !entries(old, field).eq(entries(new, field)) {
            causes.push(Cause::forbidden(field, message));
        }
    }
}

/// The spec of a pod: only images, the deadline and additional tolerations may change.
pub(super) fn pod(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let without = |spec: &Value| {
        let mut spec = spec.clone();
        for list in ["containers", "initContainers"] {
            for container in items_mut(&mut spec, list) {
                unset(container, "image");
            }
        }
        for field in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
            unset(&mut spec, field);
        }
        spec
    };
    let (before, after) = (&old["spec"], &new["spec"]);
    for list in ["containers", "initContainers"] {
        let count = |spec: &Value| items(spec, list).len();
        if count(before) != count(after) {
            let message = format!(
                "pod updates may not add or remove {}",
                if list == "containers" { list } else { "containers" }
            );
            causes.push(Cause::forbidden(format!("spec.{list}"), &message));
            return;
        }
    }
    if without(before) != without(after) {
        let message = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
                    `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
                    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
        causes.push(Cause::forbidden("spec", message));
    }
}

/// The spec of a claim: only the size may grow, once it is bound.
pub(super) fn claim(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let comparable = |object: &Value| {
        let mut spec = object["spec"].clone();
        if text(&old["spec"], "volumeName").is_empty() {
            unset(&mut spec, "volumeName");
        }
        if old["spec"]["storageClassName"].is_null() {
            unset(&mut spec, "storageClassName");
        }
        if text(&new["status"], "phase") == "Bound" {
            unset(&mut spec, "volumeAttributesClassName");
            if let Some(requests) = spec.pointer_mut("/resources/requests") {
                unset(requests, "storage");
            }
        }
        spec
    };
    if comparable(old) != comparable(new) {
        let message = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        causes.push(Cause::forbidden("spec", message));
    }
}
