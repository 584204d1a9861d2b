//! Fields that Kubernetes sets or keeps before an object is validated.

use super::defaults::default;
use crate::kinds::{
    quantity::Quantity,
    resource::{Origin, Resource},
    value::{child, copy, entries, fill, items, set, text, unset},
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

mod service;

/// Prepares a new object, whose name and uid are set: sets computed fields and drops the status.
pub(crate) fn prepare_create(resource: &Resource, object: &mut Value, now: Timestamp) {
    if resource.subresources.status && !resource.is("", "nodes") {
        match resource.origin {
            Origin::Builtin => set(object, "status", Map::new()),
            Origin::Custom => drop(unset(object, "status")),
        }
    }
    match resource.id() {
        ("", "pods") => pod(object),
        ("", "services") => service::prepare_create(object),
        ("", "namespaces") => namespace(object),
        ("", "nodes") => taint(object),
        ("", "persistentvolumes") => {
            add_finalizer(object, "kubernetes.io/pv-protection");
            set(
                object,
                "status",
                json!({"phase": "Pending", "lastPhaseTransitionTime": format!("{now:.0}")}),
            );
        }
        ("", "persistentvolumeclaims") => add_finalizer(object, "kubernetes.io/pvc-protection"),
        ("batch", "jobs") => job(object),
        ("apps", "daemonsets") => set_template_generation(object, 1),
        _ => {}
    }
    default(resource, object);
}

/// Prepares a changed object, written through the main endpoint.
pub(crate) fn prepare_update(resource: &Resource, old: &Value, new: &mut Value) {
    if resource.subresources.status {
        copy(old, new, "status");
    }
    match resource.id() {
        ("", "namespaces") => {
            if let (Some(before), Some(spec)) = (old.get("spec"), child(new, "spec")) {
                copy(before, spec, "finalizers");
            }
        }
        ("", "services") => service::prepare_update(old, new),
        ("apps", "daemonsets") => {
            let before = old["metadata"]["annotations"][TEMPLATE_GENERATION].as_str();
            let before = before.and_then(|text| text.parse::<i64>().ok()).unwrap_or(1);
            let changed = old["spec"]["template"] != new["spec"]["template"];
            set_template_generation(new, before + i64::from(changed));
        }
        ("apiextensions.k8s.io", "customresourcedefinitions") => store_new_version(new),
        _ => {}
    }
    default(resource, new);
}

/// Prepares an object, written through the status endpoint.
pub(crate) fn prepare_status(resource: &Resource, old: &Value, new: &mut Value) {
    if resource.origin == Origin::Custom {
        let status = unset(new, "status");
        let managed = new.get_mut("metadata").and_then(|metadata| unset(metadata, "managedFields"));
        *new = old.clone();
        match status {
            Some(status) => set(new, "status", status),
            None => drop(unset(new, "status")),
        }
        if let (Some(metadata), Some(managed)) = (new.get_mut("metadata"), managed) {
            set(metadata, "managedFields", managed);
        }
        return;
    }
    copy(old, new, "spec");
    let (Some(before), Some(after)) = (old.get("metadata"), child(new, "metadata")) else { return };
    match resource.id() {
        ("apps", "deployments") => copy(before, after, "labels"),
        ("", "pods") => {
            copy(before, after, "ownerReferences");
            if let Some(status) = child(new, "status")
                && text(status, "qosClass").is_empty()
            {
                copy(&old["status"], status, "qosClass");
            }
        }
        _ => {}
    }
    default(resource, new);
}

/// Prepares a pod, written through the endpoint of its ephemeral containers: everything else stays.
pub(crate) fn prepare_ephemeral_containers(resource: &Resource, old: &Value, new: &mut Value) {
    let containers = child(new, "spec").and_then(|spec| unset(spec, EPHEMERAL_CONTAINERS));
    copy(old, new, "spec");
    copy(old, new, "status");
    if let Some(spec) = child(new, "spec") {
        match containers {
            Some(containers) => set(spec, EPHEMERAL_CONTAINERS, containers),
            None => drop(unset(spec, EPHEMERAL_CONTAINERS)),
        }
    }
    if let (Some(before), Some(after)) = (old.get("metadata"), child(new, "metadata")) {
        for field in ["annotations", "deletionTimestamp", "finalizers", "labels", "ownerReferences"] {
            copy(before, after, field);
        }
    }
    default(resource, new);
}

/// Whether a change increments `metadata.generation`.
pub(crate) fn advances_generation(resource: &Resource, old: &Value, new: &Value) -> bool {
    if !resource.counts_generations {
        return false;
    }
    let metadata = |field: &str| old["metadata"].get(field) != new["metadata"].get(field);
    let other = match resource.id() {
        ("apps", "deployments") => metadata("annotations"),
        ("discovery.k8s.io", "endpointslices") => metadata("labels"),
        ("scheduling.k8s.io", "priorityclasses") => return false,
        _ => false,
    };
    let counted = |object: &Value| -> Vec<(String, Value)> {
        let ignored = |field: &str| match field {
            "apiVersion" | "kind" | "metadata" => true,
            "status" => resource.subresources.status,
            _ => false,
        };
        let fields = object.as_object().into_iter().flatten();
        fields.filter(|(key, _)| !ignored(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    other || counted(old) != counted(new)
}

/// Adds the storage version to the stored versions.
fn store_new_version(crd: &mut Value) {
    let storage = items(&crd["spec"], "versions").iter().find(|version| version["storage"] == json!(true));
    let Some(name) = storage.and_then(|version| version.get("name")).cloned() else { return };
    if let Some(Value::Array(stored)) = crd.pointer_mut("/status/storedVersions")
        && !stored.contains(&name)
    {
        stored.push(name);
    }
}

const EPHEMERAL_CONTAINERS: &str = "ephemeralContainers";
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn set_template_generation(object: &mut Value, generation: i64) {
    if let Some(annotations) = child(object, "metadata").and_then(|metadata| child(metadata, "annotations")) {
        set(annotations, TEMPLATE_GENERATION, generation.to_string());
    }
}

fn add_finalizer(object: &mut Value, finalizer: &str) {
    let Some(metadata) = child(object, "metadata") else { return };
    fill(metadata, "finalizers", json!([]));
    if let Some(Value::Array(finalizers)) = metadata.get_mut("finalizers")
        && !finalizers.iter().any(|known| known == finalizer)
    {
        finalizers.push(finalizer.into());
    }
}

fn namespace(object: &mut Value) {
    set(object, "status", json!({"phase": "Active"}));
    let Some(spec) = child(object, "spec") else { return };
    fill(spec, "finalizers", json!([]));
    if let Some(Value::Array(finalizers)) = spec.get_mut("finalizers")
        && !finalizers.iter().any(|known| known == "kubernetes")
    {
        finalizers.push("kubernetes".into());
    }
}

/// A new node is not ready until a controller removes this taint.
fn taint(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    fill(spec, "taints", json!([]));
    let not_ready = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    if let Some(Value::Array(taints)) = spec.get_mut("taints")
        && !taints.contains(&not_ready)
    {
        taints.push(not_ready);
    }
}

fn pod(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    fill(spec, "priority", 0);
    fill(spec, "preemptionPolicy", "PreemptLowerPriority");
    fill(spec, "tolerations", json!([]));
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        tolerate(spec, key);
    }
    let class = quality(spec);
    let mut status = json!({"phase": "Pending", "qosClass": class});
    if !items(spec, "schedulingGates").is_empty() {
        let condition = json!([{
            "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastProbeTime": null, "lastTransitionTime": null,
        }]);
        set(&mut status, "conditions", condition);
    }
    set(object, "status", status);
}

fn tolerate(spec: &mut Value, key: &str) {
    let tolerated = items(spec, "tolerations").iter().any(|toleration| {
        let given = text(toleration, "key");
        (given == key || given.is_empty()) && matches!(text(toleration, "effect"), "" | "NoExecute")
    });
    if let Some(Value::Array(tolerations)) = spec.get_mut("tolerations")
        && !tolerated
    {
        tolerations
            .push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
    }
}

/// The quality of service class of a pod, from its requests and limits.
fn quality(spec: &Value) -> &'static str {
    let amount = |container: &Value, list: &str, name: &str| {
        let given = entries(&container["resources"], list).find(|(key, _)| *key == name);
        let given = given.and_then(|(_, value)| value.as_str()?.parse::<Quantity>().ok());
        given.map(Quantity::nanos).filter(|nanos| *nanos != 0)
    };
    let (mut any, mut all) = (false, true);
    for container in items(spec, "containers").iter().chain(items(spec, "initContainers")) {
        for name in ["cpu", "memory"] {
            let (request, limit) = (amount(container, "requests", name), amount(container, "limits", name));
            any |= request.is_some() || limit.is_some();
            all &= limit.is_some() && (request.is_none() || request == limit);
        }
    }
    match (any, all) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Gives a Job a selector that matches its own pods only.
fn job(object: &mut Value) {
    let metadata = &object["metadata"];
    let (name, uid) = (text(metadata, "name").to_owned(), text(metadata, "uid").to_owned());
    let own_labels = metadata.get("labels").cloned();
    let Some(spec) = child(object, "spec") else { return };
    if spec["manualSelector"] == json!(true) {
        return;
    }
    let labels = child(spec, "template")
        .and_then(|template| child(template, "metadata"))
        .and_then(|metadata| child(metadata, "labels"));
    let Some(labels) = labels else { return };
    let inherited = own_labels.is_none_or(|own| own == *labels);
    for key in ["job-name", "batch.kubernetes.io/job-name"] {
        fill(labels, key, name.clone());
    }
    for key in ["controller-uid", "batch.kubernetes.io/controller-uid"] {
        fill(labels, key, uid.clone());
    }
    let labels = labels.clone();
    if let Some(chosen) = child(spec, "selector").and_then(|selector| child(selector, "matchLabels")) {
        fill(chosen, "batch.kubernetes.io/controller-uid", uid);
    }
    if inherited && let Some(metadata) = child(object, "metadata") {
        set(metadata, "labels", labels);
    }
}
