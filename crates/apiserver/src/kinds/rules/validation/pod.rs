//! Pods and templates of pods.

use super::{
    container::{self, Surroundings, inside},
    ephemeral,
    metadata::{annotations, labels, named},
    names,
    number::one_of,
};
use crate::{
    failure::Cause,
    kinds::value::{has, items, text},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The template of a workload's pods.
pub(super) fn template(template: &Value, path: &str, causes: &mut Vec<Cause>) {
    labels(&template["metadata"], "labels", &format!("{path}.labels"), causes);
    annotations(&template["metadata"], &format!("{path}.annotations"), causes);
    spec(&template["spec"], &format!("{path}.spec"), causes);
    if !items(&template["spec"], "ephemeralContainers").is_empty() {
        let message = "ephemeral containers not allowed in pod template";
        causes.push(Cause::forbidden(format!("{path}.spec.ephemeralContainers"), message));
    }
}

/// The spec of a pod or of a template.
pub(super) fn spec(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let around = Surroundings { volumes: volumes(spec, path, causes) };
    container::containers(spec, &around, path, causes);
    container::init_containers(spec, &around, path, causes);
    ephemeral::containers(spec, &around, path, causes);
    one_of(spec, "restartPolicy", path, &["Always", "OnFailure", "Never"], causes);
    one_of(spec, "dnsPolicy", path, &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], causes);
    labels(spec, "nodeSelector", &format!("{path}.nodeSelector"), causes);
    for (index, secret) in items(spec, "imagePullSecrets").iter().enumerate() {
        if text(secret, "name").is_empty() {
            causes.push(Cause::required(format!("{path}.imagePullSecrets[{index}].name"), ""));
        }
    }
    let names: [(&str, names::Rule); 5] = [
        ("serviceAccountName", names::dns_subdomain),
        ("nodeName", names::dns_subdomain),
        ("hostname", names::dns_label),
        ("subdomain", names::dns_label),
        ("priorityClassName", names::dns_subdomain),
    ];
    for (field, rule) in names {
        let name = text(spec, field);
        if !name.is_empty() {
            named(&format!("{path}.{field}"), name, rule, causes);
        }
    }
    let deadline = &spec["activeDeadlineSeconds"];
    if deadline.as_i64().is_some_and(|seconds| !(1..=i64::from(i32::MAX)).contains(&seconds)) {
        let message = "must be between 1 and 2147483647, inclusive";
        causes.push(Cause::invalid(format!("{path}.activeDeadlineSeconds"), deadline, message));
    }
    tolerations(spec, path, causes);
}

fn tolerations(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, toleration) in items(spec, "tolerations").iter().enumerate() {
        let path = format!("{path}.tolerations[{index}]");
        let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
        if !key.is_empty() {
            named(&format!("{path}.key"), key, names::qualified_name, causes);
        } else if operator != "Exists" {
            let message =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(Cause::invalid(format!("{path}.operator"), &json!(operator), message));
        }
        if has(toleration, "tolerationSeconds") && text(toleration, "effect") != "NoExecute" {
            let message = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            causes.push(Cause::invalid(
                format!("{path}.effect"),
                &json!(text(toleration, "effect")),
                message,
            ));
        }
        if operator == "Exists" && !text(toleration, "value").is_empty() {
            let message = "value must be empty when `operator` is 'Exists'";
            causes.push(Cause::invalid(format!("{path}.operator"), &toleration["value"], message));
        } else if !matches!(operator, "" | "Exists" | "Equal" | "Lt" | "Gt") {
            let field = format!("{path}.operator");
            causes.push(Cause::not_supported(field, &json!(operator), &["Equal", "Exists"]));
        }
    }
}

/// Validates the volumes, and returns the names of the valid ones.
fn volumes<'v>(spec: &'v Value, path: &str, causes: &mut Vec<Cause>) -> BTreeSet<&'v str> {
    let mut sound = BTreeSet::new();
    for (index, volume) in items(spec, "volumes").iter().enumerate() {
        let path = format!("{path}.volumes[{index}]");
        let known = causes.len();
        source(volume, &path, causes);
        let name = text(volume, "name");
        if name.is_empty() {
            causes.push(Cause::required(format!("{path}.name"), ""));
        } else {
            named(&format!("{path}.name"), name, names::dns_label, causes);
        }
        if sound.contains(name) {
            causes.push(Cause::duplicate(format!("{path}.name"), &json!(name)));
        }
        if causes.len() == known {
            sound.insert(name);
        }
    }
    sound
}

fn source(volume: &Value, path: &str, causes: &mut Vec<Cause>) {
    let sources = volume.as_object().into_iter().flatten().filter(|(field, _)| *field != "name");
    let mut sources: Vec<(&str, &Value)> = sources.map(|(field, source)| (field.as_str(), source)).collect();
    // Kubernetes checks an empty directory first, so any other source is the one too many.
    sources.sort_by_key(|(field, _)| *field != "emptyDir");
    for (index, (kind, source)) in sources.into_iter().enumerate() {
        let path = format!("{path}.{kind}");
        if index > 0 {
            causes.push(Cause::forbidden(path, "may not specify more than 1 volume type"));
            continue;
        }
        let required = match kind {
            "secret" => "secretName",
            "configMap" => "name",
            "persistentVolumeClaim" => "claimName",
            "hostPath" => "path",
            _ => "",
        };
        if !required.is_empty() && text(source, required).is_empty() {
            causes.push(Cause::required(format!("{path}.{required}"), ""));
        }
        let mode = &source["defaultMode"];
        if mode.as_i64().is_some_and(|mode| !(0..=0o777).contains(&mode)) {
            let message = "must be a number between 0 and 0777 (octal), both inclusive";
            causes.push(Cause::invalid(format!("{path}.defaultMode"), mode, message));
        }
        if matches!(kind, "secret" | "configMap") {
            key_paths(source, &path, causes);
        }
    }
}

fn key_paths(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, item) in items(source, "items").iter().enumerate() {
        let path = format!("{path}.items[{index}]");
        if text(item, "key").is_empty() {
            causes.push(Cause::required(format!("{path}.key"), ""));
        }
        let place = text(item, "path");
        if place.is_empty() {
            causes.push(Cause::required(format!("{path}.path"), ""));
        }
        inside(place, &format!("{path}.path"), causes);
        if place.starts_with("..") && !place.starts_with("../") && place != ".." {
            causes.push(Cause::invalid(format!("{path}.path"), &json!(place), "must not start with '..'"));
        }
    }
}
