//! Controllers of pods.

use super::pod;
use crate::kinds::value::{child, fill, has, items_mut, set, text};
use serde_json::{Map, Value, json};

pub(super) fn deployment(object: &mut Value) {
    let Some(spec) = with_template(object) else { return };
    fill(spec, "replicas", 1);
    if let Some(strategy) = child(spec, "strategy") {
        rolling(strategy, &[("maxUnavailable", "25%".into()), ("maxSurge", "25%".into())]);
    }
    fill(spec, "revisionHistoryLimit", 10);
    fill(spec, "progressDeadlineSeconds", 600);
}

pub(super) fn daemon_set(object: &mut Value) {
    let Some(spec) = with_template(object) else { return };
    if let Some(strategy) = child(spec, "updateStrategy") {
        rolling(strategy, &[("maxUnavailable", 1.into()), ("maxSurge", 0.into())]);
    }
    fill(spec, "revisionHistoryLimit", 10);
}

pub(super) fn replica_set(object: &mut Value) {
    let Some(spec) = with_template(object) else { return };
    fill(spec, "replicas", 1);
}

pub(super) fn replication_controller(object: &mut Value) {
    let Some(spec) = with_template(object) else { return };
    fill(spec, "replicas", 1);
    let labels = spec.pointer("/template/metadata/labels").cloned();
    if let Some(labels) = labels {
        fill(spec, "selector", labels.clone());
        if let Some(metadata) = child(object, "metadata") {
            fill(metadata, "labels", labels);
        }
    }
}

pub(super) fn stateful_set(object: &mut Value) {
    let Some(spec) = with_template(object) else { return };
    fill(spec, "podManagementPolicy", "OrderedReady");
    if let Some(strategy) = child(spec, "updateStrategy") {
        if text(strategy, "type").is_empty() {
            set(strategy, "type", "RollingUpdate");
            fill(strategy, "rollingUpdate", json!({}));
        }
        if text(strategy, "type") == "RollingUpdate"
            && let Some(update) = strategy.get_mut("rollingUpdate")
        {
            fill(update, "partition", 0);
            fill(update, "maxUnavailable", 1);
        }
    }
    if let Some(policy) = child(spec, "persistentVolumeClaimRetentionPolicy") {
        fill(policy, "whenDeleted", "Retain");
        fill(policy, "whenScaled", "Retain");
    }
    fill(spec, "replicas", 1);
    fill(spec, "revisionHistoryLimit", 10);
    for claim in items_mut(spec, "volumeClaimTemplates") {
        set(claim, "apiVersion", "v1");
        set(claim, "kind", "PersistentVolumeClaim");
        super::claim(claim);
    }
}

pub(super) fn job(object: &mut Value) {
    let Some(spec) = with_template(object) else { return };
    if !has(spec, "completions") && !has(spec, "parallelism") {
        set(spec, "completions", 1);
    }
    fill(spec, "parallelism", 1);
    let backoff = if has(spec, "backoffLimitPerIndex") { i32::MAX } else { 6 };
    fill(spec, "backoffLimit", backoff);
    fill(spec, "completionMode", "NonIndexed");
    fill(spec, "suspend", false);
    let replacement = if has(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, "podReplacementPolicy", replacement);
    fill(spec, "manualSelector", false);
    failure_policy(spec);
    if let Some(labels) = spec.pointer("/template/metadata/labels").cloned()
        && let Some(metadata) = child(object, "metadata")
    {
        fill(metadata, "labels", labels);
    }
}

pub(super) fn cron_job(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    fill(spec, "concurrencyPolicy", "Allow");
    fill(spec, "suspend", false);
    fill(spec, "successfulJobsHistoryLimit", 3);
    fill(spec, "failedJobsHistoryLimit", 1);
    if let Some(template) = child(spec, "jobTemplate")
        && let Some(job) = with_template(template)
    {
        failure_policy(job);
    }
}

fn failure_policy(spec: &mut Value) {
    let Some(policy) = spec.get_mut("podFailurePolicy") else { return };
    for rule in items_mut(policy, "rules") {
        for pattern in items_mut(rule, "onPodConditions") {
            fill(pattern, "status", "True");
        }
    }
}

/// The spec, after the defaults of its template are set.
fn with_template(object: &mut Value) -> Option<&mut Value> {
    let spec = child(object, "spec")?;
    if let Some(template) = spec.get_mut("template")
        && let Some(pod) = child(template, "spec")
    {
        pod::spec(pod);
    }
    Some(spec)
}

fn rolling(strategy: &mut Value, limits: &[(&str, Value)]) {
    fill(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        fill(strategy, "rollingUpdate", Value::Object(Map::new()));
        if let Some(update) = strategy.get_mut("rollingUpdate") {
            for (field, value) in limits {
                fill(update, field, value.clone());
            }
        }
    }
}
