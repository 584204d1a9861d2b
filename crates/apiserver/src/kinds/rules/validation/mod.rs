//! Validation, with the messages of Kubernetes.

mod access;
mod batch;
mod configuration;
mod container;
mod ephemeral;
mod events;
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
    kinds::{custom, resource::Resource, value::text},
};
use serde_json::{Value, json};

/// The problems of a new object.
pub(crate) fn validate_create(resource: &Resource, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    metadata::create(resource, object, &mut causes);
    kind(resource, object, &mut causes);
    match resource.id() {
        ("", "pods") => ephemeral::none(object, &mut causes),
        ("batch", "cronjobs") => batch::cron_job_name(object, &mut causes),
        ("events.k8s.io", "events") => events::strict(object, &mut causes),
        _ => {}
    }
    causes
}

/// The problems of a change.
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
        ("rbac.authorization.k8s.io", _) if old.get("roleRef") != new.get("roleRef") => {
            let role = |field| text(&new["roleRef"], field);
            let shown = json!({"APIGroup": role("apiGroup"), "Kind": role("kind"), "Name": role("name")});
            causes.push(Cause::invalid("roleRef", &shown, "field is immutable"));
        }
        ("storage.k8s.io", "storageclasses") => {
            for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
                // Kubernetes prints no value here.
                if old.get(field) != new.get(field) {
                    causes.push(Cause::invalid(field, &Value::Null, "field is immutable"));
                }
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

/// The problems of a change to the ephemeral containers of a pod.
pub(crate) fn validate_ephemeral_containers(resource: &Resource, old: &Value, new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    metadata::update(resource, old, new, &mut causes);
    kind(resource, new, &mut causes);
    ephemeral::added(old, new, &mut causes);
    causes
}

/// The problems of a change to the status.
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
        ("" | "events.k8s.io", "events") => events::event(resource, object, causes),
        _ => {}
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
    for field in fields {
        number::non_negative(status, field, "status", causes);
    }
    for field in ["updatedReplicas", "readyReplicas", "availableReplicas"] {
        if count(field) > count("replicas") {
            let message = "cannot be greater than status.replicas";
            causes.push(Cause::invalid(format!("status.{field}"), &status[field], message));
        }
    }
    if count("availableReplicas") > count("readyReplicas") {
        let message = "cannot be greater than readyReplicas";
        causes.push(Cause::invalid("status.availableReplicas", &status["availableReplicas"], message));
    }
}
