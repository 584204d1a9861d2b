//! The metadata of all kinds.

use super::names::{self, Rule};
use crate::{
    failure::Cause,
    kinds::{
        resource::{Origin, Resource},
        value::{entries, has, items, text},
    },
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum size of all annotations of an object, in bytes.
const MOST_ANNOTATION_BYTES: usize = 256 * 1024;

/// The problems of the metadata of a new object.
pub(super) fn create(resource: &Resource, object: &Value, causes: &mut Vec<Cause>) {
    let metadata = &object["metadata"];
    let rule = name_rule(resource);
    let generate = text(metadata, "generateName");
    if !generate.is_empty() {
        let messages = rule(&names::as_prefix(generate));
        causes.extend(
            messages.iter().map(|message| Cause::invalid("metadata.generateName", &json!(generate), message)),
        );
    }
    match text(metadata, "name") {
        "" => causes.push(Cause::required("metadata.name", "name or generateName is required")),
        name => named("metadata.name", name, rule, causes),
    }
    let namespace = text(metadata, "namespace");
    if !resource.namespaced && !namespace.is_empty() {
        causes.push(Cause::forbidden("metadata.namespace", "not allowed on this type"));
    } else if resource.namespaced && namespace.is_empty() {
        causes.push(Cause::required("metadata.namespace", ""));
    } else if resource.namespaced {
        named("metadata.namespace", namespace, names::dns_label, causes);
    }
    labels(metadata, "labels", "metadata.labels", causes);
    annotations(metadata, "metadata.annotations", causes);
    owners(metadata, causes);
    finalizers(resource, metadata, causes);
}

/// The problems of a change to the metadata.
pub(super) fn update(resource: &Resource, old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let (before, after) = (&old["metadata"], &new["metadata"]);
    if has(before, "deletionTimestamp") {
        let known: BTreeSet<&str> = items(before, "finalizers").iter().filter_map(Value::as_str).collect();
        let added: BTreeSet<&str> = items(after, "finalizers")
            .iter()
            .filter_map(Value::as_str)
            .filter(|finalizer| !known.contains(finalizer))
            .collect();
        if !added.is_empty() {
            let list = added.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            causes.push(Cause::forbidden(
                "metadata.finalizers",
                &format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers \
                     []string{{{list}}}"
                ),
            ));
        }
    }
    if text(after, "resourceVersion").is_empty() {
        causes.push(Cause::invalid(
            "metadata.resourceVersion",
            &json!(""),
            "must be specified for an update",
        ));
    }
    for field in
        ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
    {
        if before.get(field) != after.get(field) {
            let value = after.get(field).unwrap_or(&Value::Null);
            let value = if value.is_null() && field == "name" { &json!("") } else { value };
            causes.push(Cause::invalid(format!("metadata.{field}"), value, "field is immutable"));
        }
    }
    labels(after, "labels", "metadata.labels", causes);
    annotations(after, "metadata.annotations", causes);
    owners(after, causes);
    if resource.origin == Origin::Builtin {
        standard_finalizers(after, causes);
    }
}

/// The rule for names of a kind.
pub(crate) fn name_rule(resource: &Resource) -> Rule {
    match resource.id() {
        ("", "namespaces" | "services") | ("apps", "statefulsets") => names::dns_label,
        ("rbac.authorization.k8s.io", _) => names::path_segment,
        _ => names::dns_subdomain,
    }
}

pub(super) fn named(field: &str, value: &str, rule: Rule, causes: &mut Vec<Cause>) {
    causes.extend(rule(value).iter().map(|message| Cause::invalid(field, &json!(value), message)));
}

/// The labels in a field of `holder`; errors name `path`, as Kubernetes does, not the key.
pub(super) fn labels(holder: &Value, field: &str, path: &str, causes: &mut Vec<Cause>) {
    for (key, value) in entries(holder, field) {
        named(path, key, names::qualified_name, causes);
        named(path, value.as_str().unwrap_or_default(), names::label_value, causes);
    }
}

pub(super) fn annotations(metadata: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut bytes = 0;
    for (key, value) in entries(metadata, "annotations") {
        let messages = names::qualified_name(&key.to_lowercase());
        causes.extend(messages.iter().map(|message| Cause::invalid(path, &json!(key), message)));
        bytes += key.len() + value.as_str().unwrap_or_default().len();
    }
    if bytes > MOST_ANNOTATION_BYTES {
        causes.push(Cause::too_long(path, MOST_ANNOTATION_BYTES));
    }
}

fn owners(metadata: &Value, causes: &mut Vec<Cause>) {
    let mut controller: Option<String> = None;
    for (index, owner) in items(metadata, "ownerReferences").iter().enumerate() {
        let path = format!("metadata.ownerReferences[{index}]");
        let version = text(owner, "apiVersion");
        if version.is_empty() {
            causes.push(Cause::required(format!("{path}.apiVersion"), "must not be empty"));
        } else if version.matches('/').count() > 1 || version.ends_with('/') {
            let message = "must be <group>/<version> or <version>";
            causes.push(Cause::invalid(format!("{path}.apiVersion"), &json!(version), message));
        }
        for field in ["kind", "name", "uid"] {
            if text(owner, field).is_empty() {
                causes.push(Cause::required(format!("{path}.{field}"), "must not be empty"));
            }
        }
        if version == "v1" && text(owner, "kind") == "Event" {
            causes.push(Cause::invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner"));
        }
        if owner["controller"] == json!(true) {
            let name = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
            match &controller {
                Some(first) => causes.push(Cause::invalid(
                    "metadata.ownerReferences",
                    &metadata["ownerReferences"],
                    format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} \
                         and {name}"
                    ),
                )),
                None => controller = Some(name),
            }
        }
    }
}

fn finalizers(resource: &Resource, metadata: &Value, causes: &mut Vec<Cause>) {
    let finalizers = items(metadata, "finalizers");
    for finalizer in finalizers.iter().filter_map(Value::as_str) {
        named("metadata.finalizers", finalizer, names::qualified_name, causes);
    }
    if finalizers.iter().any(|name| name == "orphan")
        && finalizers.iter().any(|name| name == "foregroundDeletion")
    {
        causes.push(Cause::invalid(
            "metadata.finalizers",
            &metadata["finalizers"],
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
    if resource.origin == Origin::Builtin {
        standard_finalizers(metadata, causes);
    }
}

/// Finalizers of built-in kinds have a domain, unless they are those of Kubernetes.
fn standard_finalizers(metadata: &Value, causes: &mut Vec<Cause>) {
    for (index, finalizer) in items(metadata, "finalizers").iter().enumerate() {
        let name = finalizer.as_str().unwrap_or_default();
        if !name.contains('/') && !matches!(name, "kubernetes" | "orphan" | "foregroundDeletion") {
            causes.push(Cause::invalid(
                format!("metadata.finalizers[{index}]"),
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified",
            ));
        }
    }
}
