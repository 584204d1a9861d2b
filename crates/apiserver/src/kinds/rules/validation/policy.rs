//! Disruption budgets, autoscalers, leases, priority classes and webhooks.

use super::{
    number::{int_or_percent, non_negative, not_more_than_all, one_of_if_set},
    selector,
};
use crate::{
    failure::Cause,
    kinds::value::{has, items, text},
};
use serde_json::{Value, json};

pub(super) fn budget(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if has(spec, "minAvailable") && has(spec, "maxUnavailable") {
        causes.push(Cause::invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for field in ["minAvailable", "maxUnavailable"].into_iter().filter(|field| has(spec, field)) {
        int_or_percent(&spec[field], &format!("spec.{field}"), causes);
        not_more_than_all(&spec[field], &format!("spec.{field}"), causes);
    }
    selector::selector(&spec["selector"], "spec.selector", causes);
    one_of_if_set(spec, "unhealthyPodEvictionPolicy", "spec", &["AlwaysAllow", "IfHealthyBudget"], causes);
}

pub(super) fn autoscaler(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let (least, most) = (spec["minReplicas"].as_i64(), spec["maxReplicas"].as_i64().unwrap_or_default());
    if let Some(least) = least.filter(|least| *least < 1) {
        let message = "must be greater than or equal to 1";
        causes.push(Cause::invalid("spec.minReplicas", &least.into(), message));
    }
    if most < 0 {
        let message = "must be greater than or equal to 1";
        causes.push(Cause::invalid("spec.maxReplicas", &most.into(), message));
    }
    if least.is_some_and(|least| most < least) {
        let message = "must be greater than or equal to `minReplicas`";
        causes.push(Cause::invalid("spec.maxReplicas", &most.into(), message));
    }
    for field in ["kind", "name"] {
        if text(&spec["scaleTargetRef"], field).is_empty() {
            causes.push(Cause::required(format!("spec.scaleTargetRef.{field}"), ""));
        }
    }
    if text(&spec["scaleTargetRef"], "apiVersion").is_empty() {
        let message = "apiVersion must specify API group";
        causes.push(Cause::invalid("spec.scaleTargetRef.apiVersion", &json!(""), message));
    }
    if most == 0 {
        causes.push(Cause::required("spec.maxReplicas", ""));
    }
}

pub(super) fn lease(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if spec["leaseDurationSeconds"].as_i64().is_some_and(|seconds| seconds <= 0) {
        let message = "must be greater than 0";
        causes.push(Cause::invalid("spec.leaseDurationSeconds", &spec["leaseDurationSeconds"], message));
    }
    non_negative(spec, "leaseTransitions", "spec", causes);
}

pub(super) fn priority_class(object: &Value, causes: &mut Vec<Cause>) {
    let system = text(&object["metadata"], "name").starts_with("system-");
    if !system && object["value"].as_i64().is_some_and(|value| value > 1_000_000_000) {
        let message = "maximum allowed value of a user defined priority is 1000000000";
        causes.push(Cause::forbidden("value", message));
    }
}

pub(super) fn webhooks(object: &Value, causes: &mut Vec<Cause>) {
    for (index, hook) in items(object, "webhooks").iter().enumerate() {
        let path = format!("webhooks[{index}]");
        let name = text(hook, "name");
        if name.is_empty() {
            causes.push(Cause::required(format!("{path}.name"), ""));
        } else if name.split('.').count() < 3 {
            let message = "should be a domain with at least three segments separated by dots";
            causes.push(Cause::invalid(format!("{path}.name"), &json!(name), message));
        }
        one_of_if_set(hook, "failurePolicy", &path, &["Fail", "Ignore"], causes);
        one_of_if_set(hook, "matchPolicy", &path, &["Equivalent", "Exact"], causes);
        if has(hook, "sideEffects") {
            one_of_if_set(hook, "sideEffects", &path, &["None", "NoneOnDryRun"], causes);
        } else {
            let message = "must specify one of None, NoneOnDryRun";
            causes.push(Cause::required(format!("{path}.sideEffects"), message));
        }
        if hook["timeoutSeconds"].as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
            let message = "the timeout value must be between 1 and 30 seconds";
            causes.push(Cause::invalid(format!("{path}.timeoutSeconds"), &hook["timeoutSeconds"], message));
        }
        for field in ["namespaceSelector", "objectSelector"] {
            selector::selector(&hook[field], &format!("{path}.{field}"), causes);
        }
        let config = &hook["clientConfig"];
        if has(config, "url") == has(config, "service") {
            let message = "exactly one of url or service is required";
            causes.push(Cause::required(format!("{path}.clientConfig"), message));
        }
        if items(hook, "admissionReviewVersions").is_empty() {
            let message = "must specify one of v1, v1beta1";
            causes.push(Cause::required(format!("{path}.admissionReviewVersions"), message));
        }
    }
}
