//! Services.

use super::{
    metadata::{labels, named},
    names,
    number::{self, one_of, one_of_if_set, port_or_name},
};
use crate::{
    failure::Cause,
    kinds::value::{has, items, text},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::IpAddr};

pub(super) fn service(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let kind = text(spec, "type");
    let headless = spec["clusterIPs"][0] == "None";
    if items(spec, "ports").is_empty() && !headless && kind != "ExternalName" {
        causes.push(Cause::required("spec.ports", ""));
    }
    match kind {
        "LoadBalancer" | "NodePort" if headless => {
            let message = format!("may not be set to 'None' for {kind} services");
            causes.push(Cause::invalid("spec.clusterIPs[0]", &json!("None"), message));
        }
        "ExternalName" => external_name(spec, causes),
        _ => {}
    }
    ports(spec, causes);
    labels(spec, "selector", "spec.selector", causes);
    one_of(spec, "sessionAffinity", "spec", &["ClientIP", "None"], causes);
    let timeout = spec.pointer("/sessionAffinityConfig/clientIP/timeoutSeconds").and_then(Value::as_i64);
    if let Some(seconds) = timeout
        && !(1..=86_400).contains(&seconds)
    {
        let field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
        causes.push(Cause::invalid(field, &seconds.into(), "must be between 1 and 86400, inclusive"));
    }
    if kind != "ExternalName" {
        addresses(spec, causes);
    }
    for (index, address) in items(spec, "externalIPs").iter().enumerate() {
        ip(address, &format!("spec.externalIPs[{index}]"), causes);
    }
    one_of(spec, "type", "spec", &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], causes);
    node_ports(spec, causes);
    if kind != "LoadBalancer" {
        let message = "may only be used when `type` is 'LoadBalancer'";
        if !items(spec, "loadBalancerSourceRanges").is_empty() {
            causes.push(Cause::forbidden("spec.LoadBalancerSourceRanges", message));
        }
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if has(spec, field) {
                causes.push(Cause::forbidden(format!("spec.{field}"), message));
            }
        }
    }
    traffic(spec, causes);
}

fn external_name(spec: &Value, causes: &mut Vec<Cause>) {
    for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if has(spec, field) {
            causes
                .push(Cause::forbidden(format!("spec.{field}"), "may not be set for ExternalName services"));
        }
    }
    match text(spec, "externalName").trim_end_matches('.') {
        "" => causes.push(Cause::required("spec.externalName", "")),
        name => named("spec.externalName", name, names::dns_subdomain, causes),
    }
}

fn ports(spec: &Value, causes: &mut Vec<Cause>) {
    let ports = items(spec, "ports");
    let mut taken = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = format!("spec.ports[{index}]");
        let name = text(port, "name");
        if !name.is_empty() {
            named(&format!("{path}.name"), name, names::dns_label, causes);
            if !taken.insert(name) {
                causes.push(Cause::duplicate(format!("{path}.name"), &json!(name)));
            }
        } else if ports.len() > 1 {
            causes.push(Cause::required(format!("{path}.name"), ""));
        }
        number::port(&port["port"], format!("{path}.port"), causes);
        one_of(port, "protocol", &path, &["SCTP", "TCP", "UDP"], causes);
        port_or_name(&port["targetPort"], &format!("{path}.targetPort"), causes);
        if has(port, "appProtocol") {
            named(&format!("{path}.appProtocol"), text(port, "appProtocol"), names::qualified_name, causes);
        }
    }
}

fn node_ports(spec: &Value, causes: &mut Vec<Cause>) {
    let mut node_ports = BTreeSet::new();
    let mut ports = BTreeSet::new();
    let listed = items(spec, "ports").iter().enumerate();
    let number = |port: &Value, field: &str| port[field].as_i64().unwrap_or_default();
    for (index, port) in listed.clone().filter(|(_, port)| number(port, "nodePort") != 0) {
        if text(spec, "type") == "ClusterIP" {
            let message = "may not be used when `type` is 'ClusterIP'";
            causes.push(Cause::forbidden(format!("spec.ports[{index}].nodePort"), message));
        }
        if !node_ports.insert((text(port, "protocol"), number(port, "nodePort"))) {
            causes.push(Cause::duplicate(format!("spec.ports[{index}].nodePort"), &port["nodePort"]));
        }
    }
    for (index, port) in listed {
        if !ports.insert((text(port, "protocol"), number(port, "port"))) {
            let key = format!(
                r#"{{"Name":"","Protocol":{},"AppProtocol":null,"Port":{},"TargetPort":0,"NodePort":0}}"#,
                port["protocol"], port["port"]
            );
            causes.push(Cause {
                fault: crate::failure::Fault::Duplicate,
                field: format!("spec.ports[{index}]"),
                message: format!("Duplicate value: {key}"),
            });
        }
    }
}

fn addresses(spec: &Value, causes: &mut Vec<Cause>) {
    let all = items(spec, "clusterIPs");
    match (text(spec, "clusterIP"), all.first()) {
        ("", Some(_)) => {
            let message = "must be empty when `clusterIP` is not specified";
            causes.push(Cause::invalid("spec.clusterIPs", &spec["clusterIPs"], message));
        }
        ("", None) => {}
        (_, None) => causes.push(Cause::required("spec.clusterIPs", "")),
        (one, Some(first)) if first != one => {
            let message = "first value must match `clusterIP`";
            causes.push(Cause::invalid("spec.clusterIPs", &spec["clusterIPs"], message));
        }
        _ => {}
    }
    for (index, family) in items(spec, "ipFamilies").iter().enumerate() {
        if family != "IPv4" && family != "IPv6" {
            causes.push(Cause::not_supported(format!("spec.ipFamilies[{index}]"), family, &["IPv4", "IPv6"]));
        }
    }
    let policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
    one_of_if_set(spec, "ipFamilyPolicy", "spec", &policies, causes);
    for (index, address) in all.iter().enumerate().filter(|(index, address)| *index > 0 || *address != "None")
    {
        ip(address, &format!("spec.clusterIPs[{index}]"), causes);
    }
    if all.len() > 2 {
        let message = "may only hold up to 2 values";
        causes.push(Cause::invalid("spec.clusterIPs", &spec["clusterIPs"], message));
    }
}

fn ip(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if value.as_str().is_none_or(|text| text.parse::<IpAddr>().is_err()) {
        let message = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        causes.push(Cause::invalid(path, value, message));
    }
}

fn traffic(spec: &Value, causes: &mut Vec<Cause>) {
    let external = matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
        || text(spec, "type") == "ClusterIP" && !items(spec, "externalIPs").is_empty();
    if external {
        one_of(spec, "externalTrafficPolicy", "spec", &["Cluster", "Local"], causes);
    } else if has(spec, "externalTrafficPolicy") {
        let message = "may only be set for externally-accessible services";
        causes.push(Cause::invalid("spec.externalTrafficPolicy", &spec["externalTrafficPolicy"], message));
    }
    one_of_if_set(spec, "internalTrafficPolicy", "spec", &["Cluster", "Local"], causes);
}

pub(super) fn update(old: &Value, new: &Value, causes: &mut Vec<Cause>) {
    let (before, after) = (&old["spec"], &new["spec"]);
    let external = |spec: &Value| text(spec, "type") == "ExternalName";
    let headless = |spec: &Value| spec["clusterIPs"][0] == "None";
    if external(before) || external(after) || headless(before) && headless(after) {
        return;
    }
    let (first, second) = (items(before, "clusterIPs"), items(after, "clusterIPs"));
    let shown = &after["clusterIPs"];
    if second.is_empty() && !first.is_empty() {
        causes.push(Cause::invalid("spec.clusterIPs[0]", shown, "primary clusterIP can not be unset"));
    }
    for (index, (one, other)) in first.iter().zip(second).enumerate() {
        if one != other && (index == 0 || first.len() == second.len()) {
            causes.push(Cause::invalid(
                format!("spec.clusterIPs[{index}]"),
                shown,
                "may not change once set",
            ));
        }
    }
    if before.get("loadBalancerClass") != after.get("loadBalancerClass")
        && text(before, "type") == "LoadBalancer"
        && text(after, "type") == "LoadBalancer"
    {
        causes.push(Cause::invalid(
            "spec.loadBalancerClass",
            &after["loadBalancerClass"],
            "may not change once set",
        ));
    }
}
