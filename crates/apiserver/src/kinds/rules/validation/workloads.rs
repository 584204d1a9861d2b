//! Workloads whose pods run permanently.

use super::{
    immutable::unchanged,
    metadata::named,
    names,
    number::{int_or_percent, non_negative, not_more_than_all},
    pod, selector, storage,
};
use crate::{
    failure::Cause,
    kinds::value::{has, items, items_mut, set, text, unset},
};
use serde_json::{Value, json};

pub(super) fn deployment(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    non_negative(spec, "replicas", "spec", causes);
    required_selector(spec, "deployment", causes);
    template(spec, &spec["template"], "ReplicaSet", causes);
    strategy(&spec["strategy"], causes);
    non_negative(spec, "minReadySeconds", "spec", causes);
    non_negative(spec, "revisionHistoryLimit", "spec", causes);
    let deadline = &spec["progressDeadlineSeconds"];
    non_negative(spec, "progressDeadlineSeconds", "spec", causes);
    if deadline
        .as_i64()
        .is_some_and(|seconds| seconds <= spec["minReadySeconds"].as_i64().unwrap_or_default())
    {
        let message = "must be greater than minReadySeconds";
        causes.push(Cause::invalid("spec.progressDeadlineSeconds", deadline, message));
    }
}

pub(super) fn replica_set(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    non_negative(spec, "replicas", "spec", causes);
    non_negative(spec, "minReadySeconds", "spec", causes);
    required_selector(spec, "deployment", causes);
    template(spec, &spec["template"], "ReplicaSet", causes);
}

pub(super) fn daemon_set(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    selector::selector(&spec["selector"], "spec.selector", causes);
    let labels = &spec["template"]["metadata"]["labels"];
    if !selector::matches(&spec["selector"], labels) {
        mismatch(labels, causes);
    }
    if has(spec, "selector") && selector::is_empty(&spec["selector"]) {
        let message = "empty selector is invalid for daemonset";
        causes.push(Cause::invalid("spec.selector", &spec["selector"], message));
    }
    pods(&spec["template"], "DaemonSet", causes);
    non_negative(spec, "minReadySeconds", "spec", causes);
    let strategy = &spec["updateStrategy"];
    match text(strategy, "type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let update = &strategy["rollingUpdate"];
            let path = "spec.updateStrategy.rollingUpdate";
            for field in ["maxUnavailable", "maxSurge"] {
                int_or_percent(&update[field], &format!("{path}.{field}"), causes);
                not_more_than_all(&update[field], &format!("{path}.{field}"), causes);
            }
            match (share(&update["maxUnavailable"]), share(&update["maxSurge"])) {
                (0, 0) => {
                    let message = "cannot be 0 when maxSurge is 0";
                    causes.push(Cause::invalid(
                        format!("{path}.maxUnavailable"),
                        &update["maxUnavailable"],
                        message,
                    ));
                }
                (unavailable, surge) if unavailable != 0 && surge != 0 => {
                    let message = "may not be set when maxUnavailable is non-zero";
                    causes.push(Cause::invalid(format!("{path}.maxSurge"), &update["maxSurge"], message));
                }
                _ => {}
            }
        }
        _ => causes.push(Cause::not_supported(
            "spec.updateStrategy",
            &json!(strategy),
            &["RollingUpdate", "OnDelete"],
        )),
    }
    non_negative(spec, "revisionHistoryLimit", "spec", causes);
}

pub(super) fn stateful_set(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if !matches!(text(spec, "podManagementPolicy"), "OrderedReady" | "Parallel") {
        let message = "must be 'OrderedReady' or 'Parallel'";
        causes.push(Cause::invalid("spec.podManagementPolicy", &spec["podManagementPolicy"], message));
    }
    let strategy = &spec["updateStrategy"];
    match text(strategy, "type") {
        "OnDelete" if has(strategy, "rollingUpdate") => causes.push(Cause::invalid(
            "spec.updateStrategy.rollingUpdate",
            &strategy["rollingUpdate"],
            "only allowed for updateStrategy 'RollingUpdate'",
        )),
        "OnDelete" => {}
        "RollingUpdate" => {
            non_negative(
                &strategy["rollingUpdate"],
                "partition",
                "spec.updateStrategy.rollingUpdate",
                causes,
            );
        }
        _ => causes.push(Cause::invalid(
            "spec.updateStrategy",
            strategy,
            "must be 'RollingUpdate' or 'OnDelete'",
        )),
    }
    for (index, claim) in items(spec, "volumeClaimTemplates").iter().enumerate() {
        storage::claim_spec(&claim["spec"], &format!("spec.volumeClaimTemplates[{index}].spec"), causes);
    }
    non_negative(spec, "replicas", "spec", causes);
    non_negative(spec, "minReadySeconds", "spec", causes);
    if !text(spec, "serviceName").is_empty() {
        named("spec.serviceName", text(spec, "serviceName"), names::dns_label, causes);
    }
    required_selector(spec, "statefulset", causes);
    template(spec, &with_claims(spec), "StatefulSet", causes);
}

/// The template with the volumes of the set's claims, which replace its own of the same name.
fn with_claims(spec: &Value) -> Value {
    let mut template = spec["template"].clone();
    let claims = items(spec, "volumeClaimTemplates");
    if let Some(pod) = template.get_mut("spec") {
        unset(pod, "hostname");
        unset(pod, "subdomain");
        let names: Vec<&str> = claims.iter().map(|claim| text(&claim["metadata"], "name")).collect();
        let claimed =
            names.iter().map(|name| json!({"name": name, "persistentVolumeClaim": {"claimName": name}}));
        let own: Vec<Value> = items_mut(pod, "volumes")
            .filter(|own| !names.contains(&text(own, "name")))
            .map(Value::take)
            .collect();
        let volumes: Vec<Value> = claimed.chain(own).collect();
        set(pod, "volumes", volumes);
    }
    template
}

pub(super) fn update(plural: &str, old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let fields: &[&str] = match plural {
        "deployments" | "replicasets" | "daemonsets" => &["selector"],
        "statefulsets" => &["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"],
        _ => &[],
    };
    for field in fields {
        unchanged(&old["spec"], &new["spec"], field, "spec.", causes);
    }
}

fn required_selector(spec: &Value, kind: &str, causes: &mut Vec<Cause>) {
    if !has(spec, "selector") {
        causes.push(Cause::required("spec.selector", ""));
        return;
    }
    selector::selector(&spec["selector"], "spec.selector", causes);
    if selector::is_empty(&spec["selector"]) {
        let message = format!("empty selector is invalid for {kind}");
        causes.push(Cause::invalid("spec.selector", &spec["selector"], message));
    }
}

fn template(spec: &Value, template: &Value, kind: &str, causes: &mut Vec<Cause>) {
    let labels = &template["metadata"]["labels"];
    if !selector::is_empty(&spec["selector"]) && !selector::matches(&spec["selector"], labels) {
        mismatch(labels, causes);
    }
    pods(template, kind, causes);
}

fn mismatch(labels: &Value, causes: &mut Vec<Cause>) {
    let message = "`selector` does not match template `labels`";
    causes.push(Cause::invalid("spec.template.metadata.labels", labels, message));
}

fn pods(template: &Value, kind: &str, causes: &mut Vec<Cause>) {
    pod::template(template, "spec.template", causes);
    let policy = &template["spec"]["restartPolicy"];
    if policy != "Always" {
        causes.push(Cause::not_supported("spec.template.spec.restartPolicy", policy, &["Always"]));
    }
    if has(&template["spec"], "activeDeadlineSeconds") {
        let message = format!("activeDeadlineSeconds in {kind} is not Supported");
        causes.push(Cause::forbidden("spec.template.spec.activeDeadlineSeconds", &message));
    }
}

fn strategy(strategy: &Value, causes: &mut Vec<Cause>) {
    let update = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "Recreate" if !update.is_null() => {
            let message = "may not be specified when strategy `type` is 'Recreate'";
            causes.push(Cause::forbidden("spec.strategy.rollingUpdate", message));
        }
        "Recreate" => {}
        "RollingUpdate" => {
            let path = "spec.strategy.rollingUpdate";
            int_or_percent(&update["maxUnavailable"], &format!("{path}.maxUnavailable"), causes);
            int_or_percent(&update["maxSurge"], &format!("{path}.maxSurge"), causes);
            if share(&update["maxUnavailable"]) == 0 && share(&update["maxSurge"]) == 0 {
                let message = "may not be 0 when `maxSurge` is 0";
                causes.push(Cause::invalid(
                    format!("{path}.maxUnavailable"),
                    &update["maxUnavailable"],
                    message,
                ));
            }
            not_more_than_all(&update["maxUnavailable"], &format!("{path}.maxUnavailable"), causes);
        }
        _ => causes.push(Cause::not_supported("spec.strategy", strategy, &["Recreate", "RollingUpdate"])),
    }
}

/// The number or the percentage.
fn share(value: &Value) -> i64 {
    let percent = value.as_str().map(|text| text.trim_end_matches('%').parse().unwrap_or_default());
    percent.or(value.as_i64()).unwrap_or_default()
}
