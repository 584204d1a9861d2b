//! What Kubernetes refuses, in its words.

mod access;
mod batch;
mod configuration;
mod container;
mod immutable;
mod metadata;
pub(crate) mod names;
mod networking;
mod number;
mod pod;
mod policy;
mod selector;
mod service;
mod storage;
#[cfg(test)]
mod tests;
mod workloads;

use crate::{
    failure::Cause,
    kinds::{
        custom,
        resource::Resource,
        value::{entries, text},
    },
};
use serde_json::Value;

pub(crate) use metadata::name_rule;

/// What is wrong with a new object.
pub(crate) fn validate_create(resource: &Resource, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    metadata::create(resource, object, &mut causes);
    kind(resource, object, &mut causes);
    if resource.is("batch", "cronjobs") {
        batch::cron_job_name(object, &mut causes);
    }
    causes
}

/// What is wrong with a change.
pub(crate) fn validate_update(resource: &Resource, old: &Value, new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    metadata::update(resource, old, new, &mut causes);
    match resource.id() {
        ("", "services") => service::update(old, new, &mut causes),
        ("", "secrets") => {
            immutable::unchanged(old, new, "type", "", &mut causes);
            immutable::sealed(old, new, &mut causes);
        }
        ("", "configmaps") => immutable::sealed(old, new, &mut causes),
        _ => {}
    }
    kind(resource, new, &mut causes);
    match resource.id() {
        ("apps", plural) => workloads::update(plural, old, new, &mut causes),
        ("batch", "jobs") => batch::job_update(old, new, &mut causes),
        ("", "pods") => immutable::pod(old, new, &mut causes),
        ("", "persistentvolumeclaims") => immutable::claim(old, new, &mut causes),
        ("rbac.authorization.k8s.io", "rolebindings" | "clusterrolebindings") => {
            immutable::unchanged(old, new, "roleRef", "", &mut causes);
        }
        ("storage.k8s.io", "storageclasses") => {
            for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
                immutable::unchanged(old, new, field, "", &mut causes);
            }
        }
        ("scheduling.k8s.io", "priorityclasses") => {
            if old["value"] != new["value"] {
                causes.push(Cause::forbidden("value", "may not be changed in an update."));
            }
            immutable::unchanged(old, new, "preemptionPolicy", "", &mut causes);
        }
        ("apiextensions.k8s.io", "customresourcedefinitions") => {
            causes.extend(custom::validate_crd_update(old, new));
        }
        _ => {}
    }
    causes
}

/// What is wrong with a change of the status.
pub(crate) fn validate_status(resource: &Resource, old: &Value, new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    metadata::update(resource, old, new, &mut causes);
    if resource.is("apps", "deployments") {
        deployment_status(&new["status"], &mut causes);
    }
    causes
}

fn kind(resource: &Resource, object: &Value, causes: &mut Vec<Cause>) {
    match resource.id() {
        ("", "pods") => pod::spec(&object["spec"], "spec", causes),
        ("", "podtemplates") => pod::template(&object["template"], "template", causes),
        ("", "services") => service::service(object, causes),
        ("", "configmaps") => configuration::config_map(object, causes),
        ("", "secrets") => configuration::secret(object, causes),
        ("", "persistentvolumeclaims") => storage::claim_spec(&object["spec"], "spec", causes),
        ("", "persistentvolumes") => storage::volume(object, causes),
        ("apps", "deployments") => workloads::deployment(object, causes),
        ("apps", "replicasets") => workloads::replica_set(object, causes),
        ("apps", "daemonsets") => workloads::daemon_set(object, causes),
        ("apps", "statefulsets") => workloads::stateful_set(object, causes),
        ("batch", "jobs") => batch::job(object, causes),
        ("batch", "cronjobs") => batch::cron_job(object, causes),
        ("networking.k8s.io", "ingresses") => networking::ingress(object, causes),
        ("networking.k8s.io", "networkpolicies") => networking::network_policy(object, causes),
        ("rbac.authorization.k8s.io", "roles" | "clusterroles") => access::role(resource, object, causes),
        ("rbac.authorization.k8s.io", _) => access::binding(resource, object, causes),
        ("storage.k8s.io", "storageclasses") => storage::class(object, causes),
        ("policy", "poddisruptionbudgets") => policy::budget(object, causes),
        ("autoscaling", "horizontalpodautoscalers") => policy::autoscaler(object, causes),
        ("coordination.k8s.io", "leases") => policy::lease(object, causes),
        ("scheduling.k8s.io", "priorityclasses") => policy::priority_class(object, causes),
        ("admissionregistration.k8s.io", _) => policy::webhooks(object, causes),
        ("apiextensions.k8s.io", "customresourcedefinitions") => causes.extend(custom::validate_crd(object)),
        ("", "events") => event(object, causes),
        _ => {}
    }
}

/// An event is in the namespace of what it is about.
fn event(object: &Value, causes: &mut Vec<Cause>) {
    let about = &object["involvedObject"];
    let (namespace, own) = (text(about, "namespace"), text(&object["metadata"], "namespace"));
    let misplaced = if namespace.is_empty() { own != "default" } else { own != namespace };
    if entries(object, "involvedObject").next().is_some() && misplaced {
        let told = "does not match event.namespace";
        causes.push(Cause::invalid("involvedObject.namespace", &namespace.into(), told));
    }
}

fn deployment_status(status: &Value, causes: &mut Vec<Cause>) {
    let count = |field: &str| status[field].as_i64().unwrap_or_default();
    let fields = [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
    ];
    fields.iter().for_each(|field| number::non_negative(status, field, "status", causes));
    for field in ["updatedReplicas", "readyReplicas", "availableReplicas"] {
        if count(field) > count("replicas") {
            let told = "cannot be greater than status.replicas";
            causes.push(Cause::invalid(format!("status.{field}"), &status[field], told));
        }
    }
    if count("availableReplicas") > count("readyReplicas") {
        let told = "cannot be greater than readyReplicas";
        causes.push(Cause::invalid("status.availableReplicas", &status["availableReplicas"], told));
    }
}
