//! Default values of fields.

mod admission;
mod autoscaling;
mod pod;
mod service;
mod workloads;

use crate::kinds::{
    canonicalise,
    resource::Resource,
    value::{child, entries, fill, items_mut, set, text, unset},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// Brings an object of a built-in kind into the form that Kubernetes stores: canonical, and with every default set.
///
/// It is idempotent, so it is done for every write, and after every preparation.
pub(crate) fn default(resource: &Resource, object: &mut Value) {
    if resource.is("", "secrets") {
        fold_string_data(object);
    }
    canonicalise(resource, object);
    match resource.id() {
        ("", "pods") => pod::pod(object),
        ("", "podtemplates") => {
            if let Some(spec) = object.pointer_mut("/template/spec") {
                pod::spec(spec);
            }
        }
        ("", "replicationcontrollers") => workloads::replication_controller(object),
        ("apps", "deployments") => workloads::deployment(object),
        ("apps", "replicasets") => workloads::replica_set(object),
        ("apps", "statefulsets") => workloads::stateful_set(object),
        ("apps", "daemonsets") => workloads::daemon_set(object),
        ("batch", "jobs") => workloads::job(object),
        ("batch", "cronjobs") => workloads::cron_job(object),
        ("", "services") => service::service(object),
        ("", "secrets") => fill(object, "type", "Opaque"),
        ("", "persistentvolumeclaims") => claim(object),
        ("", "persistentvolumes") => volume(object),
        ("", "namespaces") => namespace(object),
        ("", "nodes") => {
            if let Some(status) = object.get_mut("status")
                && let Some(capacity) = status.get("capacity").cloned()
            {
                fill(status, "allocatable", capacity);
            }
        }
        ("", "endpoints") => {
            for subset in items_mut(object, "subsets") {
                for port in items_mut(subset, "ports") {
                    fill(port, "protocol", "TCP");
                }
            }
        }
        ("", "limitranges") => limit_range(object),
        ("autoscaling", "horizontalpodautoscalers") => autoscaling::autoscaler(object),
        ("networking.k8s.io", "networkpolicies") => service::network_policy(object),
        ("networking.k8s.io", "ingressclasses") => {
            if let Some(parameters) = object.pointer_mut("/spec/parameters") {
                fill(parameters, "scope", "Cluster");
            }
        }
        ("rbac.authorization.k8s.io", "rolebindings" | "clusterrolebindings") => binding(object),
        ("storage.k8s.io", "storageclasses") => {
            fill(object, "reclaimPolicy", "Delete");
            fill(object, "volumeBindingMode", "Immediate");
        }
        ("scheduling.k8s.io", "priorityclasses") => fill(object, "preemptionPolicy", "PreemptLowerPriority"),
        ("discovery.k8s.io", "endpointslices") => {
            for port in items_mut(object, "ports") {
                fill(port, "name", "");
                fill(port, "protocol", "TCP");
            }
        }
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations") => {
            items_mut(object, "webhooks").for_each(admission::webhook);
        }
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations") => {
            for webhook in items_mut(object, "webhooks") {
                admission::webhook(webhook);
                fill(webhook, "reinvocationPolicy", "Never");
            }
        }
        ("apiextensions.k8s.io", "customresourcedefinitions") => admission::definition(object),
        _ => {}
    }
}

/// `stringData` is write-only: its values override those of `data`.
fn fold_string_data(object: &mut Value) {
    let Some(Value::Object(plain)) = unset(object, "stringData") else { return };
    let Some(data) = child(object, "data") else { return };
    for (key, value) in plain {
        set(data, &key, STANDARD.encode(value.as_str().unwrap_or_default()));
    }
}

pub(super) fn claim(object: &mut Value) {
    if let Some(spec) = child(object, "spec") {
        fill(spec, "volumeMode", "Filesystem");
    }
    if let Some(status) = child(object, "status") {
        fill(status, "phase", "Pending");
    }
}

fn volume(object: &mut Value) {
    if let Some(spec) = child(object, "spec") {
        fill(spec, "persistentVolumeReclaimPolicy", "Retain");
        fill(spec, "volumeMode", "Filesystem");
        if let Some(path) = spec.get_mut("hostPath") {
            fill(path, "type", "");
        }
    }
    if let Some(status) = child(object, "status") {
        fill(status, "phase", "Pending");
    }
}

fn namespace(object: &mut Value) {
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !name.is_empty()
        && let Some(labels) = child(object, "metadata").and_then(|metadata| child(metadata, "labels"))
    {
        set(labels, "kubernetes.io/metadata.name", name);
    }
    if let Some(status) = child(object, "status") {
        fill(status, "phase", "Active");
    }
}

fn limit_range(object: &mut Value) {
    let Some(spec) = object.get_mut("spec") else { return };
    for limit in items_mut(spec, "limits").filter(|limit| text(limit, "type") == "Container") {
        let copied = |from: &str, limit: &Value| {
            entries(limit, from).map(|(key, value)| (key.to_owned(), value.clone())).collect::<Vec<_>>()
        };
        for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
            let values = copied(from, limit);
            if let Some(target) = child(limit, to) {
                for (key, value) in values {
                    fill(target, &key, value);
                }
            }
        }
        for field in ["default", "defaultRequest"] {
            if limit.get(field) == Some(&json!({})) {
                unset(limit, field);
            }
        }
    }
}

fn binding(object: &mut Value) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    if let Some(role) = object.get_mut("roleRef")
        && text(role, "apiGroup").is_empty()
    {
        set(role, "apiGroup", GROUP);
    }
    for subject in items_mut(object, "subjects") {
        if matches!(text(subject, "kind"), "User" | "Group") {
            fill(subject, "apiGroup", GROUP);
        }
    }
}
