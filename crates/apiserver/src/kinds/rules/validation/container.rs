//! Containers of pods.

use super::{
    metadata::named,
    names,
    number::{self, non_negative, one_of, one_of_if_set, port_or_name},
};
use crate::{
    failure::Cause,
    kinds::{
        quantity::Quantity,
        value::{entries, has, items, text},
    },
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What the containers of one pod share.
pub(super) struct Surroundings<'v> {
    pub volumes: BTreeSet<&'v str>,
}

/// The main containers, at least one.
pub(super) fn containers(spec: &Value, around: &Surroundings<'_>, path: &str, causes: &mut Vec<Cause>) {
    let path = format!("{path}.containers");
    let containers = items(spec, "containers");
    if containers.is_empty() {
        causes.push(Cause::required(path, ""));
        return;
    }
    let mut names = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let path = format!("{path}[{index}]");
        each(container, around, &path, causes);
        if !names.insert(text(container, "name")) {
            causes.push(Cause::duplicate(format!("{path}.name"), &container["name"]));
        }
        lifecycle(container, &path, causes);
        probes(container, &path, causes);
    }
}

pub(super) fn init_containers(spec: &Value, around: &Surroundings<'_>, path: &str, causes: &mut Vec<Cause>) {
    let mut names: BTreeSet<&str> =
        items(spec, "containers").iter().map(|container| text(container, "name")).collect();
    for (index, container) in items(spec, "initContainers").iter().enumerate() {
        let path = format!("{path}.initContainers[{index}]");
        each(container, around, &path, causes);
        one_of_if_set(container, "restartPolicy", &path, &["Always"], causes);
        if !names.insert(text(container, "name")) {
            causes.push(Cause::duplicate(format!("{path}.name"), &container["name"]));
        }
        if text(container, "restartPolicy") == "Always" {
            lifecycle(container, &path, causes);
            probes(container, &path, causes);
            continue;
        }
        for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if has(container, field) {
                let message = "may not be set for init containers without restartPolicy=Always";
                causes.push(Cause::forbidden(format!("{path}.{field}"), message));
            }
        }
    }
}

/// What is wrong with any container.
pub(super) fn each(container: &Value, around: &Surroundings<'_>, path: &str, causes: &mut Vec<Cause>) {
    match text(container, "name") {
        "" => causes.push(Cause::required(format!("{path}.name"), "")),
        name => named(&format!("{path}.name"), name, names::dns_label, causes),
    }
    if text(container, "image").is_empty() {
        causes.push(Cause::required(format!("{path}.image"), ""));
    }
    one_of(container, "terminationMessagePolicy", path, &["File", "FallbackToLogsOnError"], causes);
    ports(container, path, causes);
    environment(container, path, causes);
    mounts(container, around, path, causes);
    one_of(container, "imagePullPolicy", path, &["Always", "IfNotPresent", "Never"], causes);
    resources(&container["resources"], &format!("{path}.resources"), causes);
}

fn ports(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut taken = BTreeSet::new();
    for (index, port) in items(container, "ports").iter().enumerate() {
        let path = format!("{path}.ports[{index}]");
        let name = text(port, "name");
        if !name.is_empty() {
            let wrong = names::port_name(name);
            if wrong.is_empty() && !taken.insert(name) {
                causes.push(Cause::duplicate(format!("{path}.name"), &json!(name)));
            }
            causes.extend(
                wrong.iter().map(|message| Cause::invalid(format!("{path}.name"), &json!(name), message)),
            );
        }
        if port["containerPort"].as_i64().unwrap_or_default() == 0 {
            causes.push(Cause::required(format!("{path}.containerPort"), ""));
        } else {
            number::port(&port["containerPort"], format!("{path}.containerPort"), causes);
        }
        if port["hostPort"].as_i64().unwrap_or_default() != 0 {
            number::port(&port["hostPort"], format!("{path}.hostPort"), causes);
        }
        one_of(port, "protocol", &path, &["SCTP", "TCP", "UDP"], causes);
    }
}

fn environment(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, variable) in items(container, "env").iter().enumerate() {
        let path = format!("{path}.env[{index}]");
        match text(variable, "name") {
            "" => causes.push(Cause::required(format!("{path}.name"), "")),
            name => named(&format!("{path}.name"), name, names::variable, causes),
        }
        if has(variable, "valueFrom") {
            value_from(variable, &format!("{path}.valueFrom"), causes);
        }
    }
    for (index, source) in items(container, "envFrom").iter().enumerate() {
        let list = format!("{path}.envFrom");
        let path = format!("{list}[{index}]");
        named(&format!("{path}.prefix"), text(source, "prefix"), names::variable, causes);
        let mut sources = 0;
        for field in ["configMapRef", "secretRef"].into_iter().filter(|field| has(source, field)) {
            sources += 1;
            match text(&source[field], "name") {
                "" => causes.push(Cause::required(format!("{path}.{field}.name"), "")),
                name => named(
                    &format!("{path}.{field}.name"),
                    &names::as_prefix(name),
                    names::dns_subdomain,
                    causes,
                ),
            }
        }
        let message = match sources {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        causes.push(Cause::invalid(list, &json!(""), message));
    }
}

fn value_from(variable: &Value, path: &str, causes: &mut Vec<Cause>) {
    let from = &variable["valueFrom"];
    for field in ["configMapKeyRef", "secretKeyRef"].into_iter().filter(|field| has(from, field)) {
        let path = format!("{path}.{field}");
        named(&format!("{path}.name"), text(&from[field], "name"), names::dns_subdomain, causes);
        match text(&from[field], "key") {
            "" => causes.push(Cause::required(format!("{path}.key"), "")),
            key => named(&format!("{path}.key"), key, names::config_key, causes),
        }
    }
    if has(from, "fieldRef") && text(&from["fieldRef"], "fieldPath").is_empty() {
        causes.push(Cause::required(format!("{path}.fieldRef.fieldPath"), ""));
    }
    if has(from, "resourceFieldRef") && text(&from["resourceFieldRef"], "resource").is_empty() {
        causes.push(Cause::required(format!("{path}.resourceFieldRef.resource"), ""));
    }
    let sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
    let message = match sources.iter().filter(|field| has(from, field)).count() {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        }
        _ if !text(variable, "value").is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    causes.push(Cause::invalid(path, &json!(""), message));
}

fn mounts(container: &Value, around: &Surroundings<'_>, path: &str, causes: &mut Vec<Cause>) {
    let mut places = BTreeSet::new();
    for (index, mount) in items(container, "volumeMounts").iter().enumerate() {
        let list = format!("{path}.volumeMounts");
        let path = format!("{list}[{index}]");
        let name = text(mount, "name");
        if name.is_empty() {
            causes.push(Cause::required(format!("{path}.name"), ""));
        }
        if !around.volumes.contains(name) {
            causes.push(Cause::not_found(format!("{path}.name"), &json!(name)));
        }
        let place = text(mount, "mountPath");
        if place.is_empty() {
            causes.push(Cause::required(format!("{path}.mountPath"), ""));
        }
        if !places.insert(place) {
            causes.push(Cause::invalid(format!("{path}.mountPath"), &json!(place), "must be unique"));
        }
        let (sub, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
        if !sub.is_empty() && !expression.is_empty() {
            let message = "subPathExpr and subPath are mutually exclusive";
            causes.push(Cause::invalid(format!("{path}.subPathExpr"), &json!(expression), message));
        }
        for (field, value) in [("subPath", sub), ("subPathExpr", expression)] {
            inside(value, &format!("{list}.{field}"), causes);
        }
    }
}

/// A path that must stay below its start.
pub(super) fn inside(value: &str, path: &str, causes: &mut Vec<Cause>) {
    if value.starts_with('/') {
        causes.push(Cause::invalid(path, &json!(value), "must be a relative path"));
    }
    if value.split('/').any(|part| part == "..") {
        causes.push(Cause::invalid(path, &json!(value), "must not contain '..'"));
    }
}

/// Requests and limits.
pub(super) fn resources(resources: &Value, path: &str, causes: &mut Vec<Cause>) {
    let amount = |value: &Value| value.as_str().and_then(|text| text.parse::<Quantity>().ok());
    for list in ["limits", "requests"] {
        for (name, value) in entries(resources, list) {
            let field = format!("{path}.{list}[{name}]");
            resource_name(name, &field, causes);
            let Some(quantity) = amount(value) else { continue };
            if quantity.nanos() < 0 {
                causes.push(Cause::invalid(field, value, number::NEGATIVE));
            }
            let limit = entries(resources, "limits").find(|(limited, _)| *limited == name);
            let Some((_, limit)) = limit.filter(|_| list == "requests") else { continue };
            if amount(limit).is_some_and(|limit| quantity.nanos() > limit.nanos()) {
                let limit = limit.as_str().unwrap_or_default();
                let message = format!("must be less than or equal to {name} limit of {limit}");
                causes.push(Cause::invalid(format!("{path}.requests"), value, message));
            }
        }
    }
}

fn resource_name(name: &str, path: &str, causes: &mut Vec<Cause>) {
    const STANDARD: [&str; 20] = [
        "cpu",
        "memory",
        "ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "storage",
        "requests.storage",
        "services.nodeports",
        "services.loadbalancers",
    ];
    let wrong = names::qualified_name(name);
    if name.contains('/') || !wrong.is_empty() {
        causes.extend(wrong.iter().map(|message| Cause::invalid(path, &json!(name), message)));
        return;
    }
    let hugepages = name.starts_with("hugepages-");
    if !hugepages && !STANDARD.contains(&name) {
        causes.push(Cause::invalid(
            path,
            &json!(name),
            "must be a standard resource type or fully qualified",
        ));
    }
    if !hugepages && !matches!(name, "cpu" | "memory" | "ephemeral-storage") {
        causes.push(Cause::invalid(path, &json!(name), "must be a standard resource for containers"));
    }
}

fn probes(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = &container[name];
        if !probe.is_object() {
            continue;
        }
        let path = format!("{path}.{name}");
        handler(probe, &path, causes);
        let numbers = [
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ];
        for field in numbers {
            non_negative(probe, field, &path, causes);
        }
        let grace = &probe["terminationGracePeriodSeconds"];
        if grace.as_i64().is_some_and(|seconds| seconds <= 0) {
            let field = format!("{path}.terminationGracePeriodSeconds");
            causes.push(Cause::invalid(field, grace, "must be greater than 0"));
        }
        if name == "readinessProbe" {
            if !grace.is_null() {
                let field = format!("{path}.terminationGracePeriodSeconds");
                causes.push(Cause::invalid(field, grace, "must not be set for readinessProbes"));
            }
        } else if probe["successThreshold"] != json!(1) {
            let value = probe.get("successThreshold").cloned().unwrap_or(json!(0));
            causes.push(Cause::invalid(format!("{path}.successThreshold"), &value, "must be 1"));
        }
    }
}

fn lifecycle(container: &Value, path: &str, causes: &mut Vec<Cause>) {
    for moment in ["postStart", "preStop"] {
        let action = &container["lifecycle"][moment];
        if action.is_object() {
            handler(action, &format!("{path}.lifecycle.{moment}"), causes);
        }
    }
}

fn handler(holder: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut given = 0;
    for kind in ["exec", "httpGet", "tcpSocket", "grpc", "sleep"].into_iter().filter(|kind| has(holder, kind))
    {
        let field = format!("{path}.{kind}");
        given += 1;
        if given > 1 {
            causes.push(Cause::forbidden(field, "may not specify more than 1 handler type"));
            continue;
        }
        let action = &holder[kind];
        match kind {
            "exec" if items(action, "command").is_empty() => {
                causes.push(Cause::required(format!("{field}.command"), ""));
            }
            "httpGet" => {
                port_or_name(&action["port"], &format!("{field}.port"), causes);
                one_of(action, "scheme", &field, &["HTTP", "HTTPS"], causes);
            }
            "tcpSocket" => port_or_name(&action["port"], &format!("{field}.port"), causes),
            "grpc" => number::port(&action["port"], format!("{field}.port"), causes),
            _ => {}
        }
    }
    if given == 0 {
        causes.push(Cause::required(path, "must specify a handler type"));
    }
}
