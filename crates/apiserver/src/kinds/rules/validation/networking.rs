//! Ingresses and network policies.

use super::{
    metadata::named,
    names,
    number::{self, port_or_name},
    selector,
};
use crate::{
    failure::Cause,
    kinds::value::{has, items, text},
};
use serde_json::{Value, json};
use std::net::IpAddr;

pub(super) fn ingress(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let rules = items(spec, "rules");
    if rules.is_empty() && !has(spec, "defaultBackend") {
        causes.push(Cause::invalid(
            "spec",
            &spec["rules"],
            "either `defaultBackend` or `rules` must be specified",
        ));
    }
    if has(spec, "defaultBackend") {
        backend(&spec["defaultBackend"], "spec.defaultBackend", causes);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = format!("spec.rules[{index}]");
        let host = text(rule, "host");
        if !host.is_empty() {
            let field = format!("{path}.host");
            if host.parse::<IpAddr>().is_ok() {
                causes.push(Cause::invalid(&field, &json!(host), "must be a DNS name, not an IP address"));
            }
            domain(host, &field, causes);
        }
        if has(rule, "http") {
            let paths = items(&rule["http"], "paths");
            if paths.is_empty() {
                causes.push(Cause::required(format!("{path}.http.paths"), ""));
            }
            for (index, entry) in paths.iter().enumerate() {
                http_path(entry, &format!("{path}.http.paths[{index}]"), causes);
            }
        }
    }
    for (index, tls) in items(spec, "tls").iter().enumerate() {
        let path = format!("spec.tls[{index}]");
        for (index, host) in items(tls, "hosts").iter().filter_map(Value::as_str).enumerate() {
            domain(host, &format!("{path}.hosts[{index}]"), causes);
        }
        if !text(tls, "secretName").is_empty() {
            named(&format!("{path}.secretName"), text(tls, "secretName"), names::dns_subdomain, causes);
        }
    }
    if has(spec, "ingressClassName") {
        named("spec.ingressClassName", text(spec, "ingressClassName"), names::dns_subdomain, causes);
    }
}

fn domain(host: &str, path: &str, causes: &mut Vec<Cause>) {
    let rule = if host.contains('*') { names::wildcard_subdomain } else { names::dns_subdomain };
    named(path, host, rule, causes);
}

fn http_path(entry: &Value, path: &str, causes: &mut Vec<Cause>) {
    let place = text(entry, "path");
    let field = format!("{path}.path");
    let absolute = place.starts_with('/');
    match text(entry, "pathType") {
        "" => {
            causes.push(Cause::required(format!("{path}.pathType"), "pathType must be specified"));
            return;
        }
        "Exact" | "Prefix" => {
            if !absolute {
                causes.push(Cause::invalid(&field, &json!(place), "must be an absolute path"));
            }
            for wrong in ["//", "/./", "/../", "%2f", "%2F"].iter().filter(|wrong| place.contains(**wrong)) {
                causes.push(Cause::invalid(&field, &json!(place), format!("must not contain '{wrong}'")));
            }
            for wrong in ["/..", "/."].iter().filter(|wrong| place.ends_with(**wrong)) {
                causes.push(Cause::invalid(&field, &json!(place), format!("cannot end with '{wrong}'")));
            }
        }
        "ImplementationSpecific" => {
            if !place.is_empty() && !absolute {
                causes.push(Cause::invalid(&field, &json!(place), "must be an absolute path"));
            }
        }
        _ => {
            let words = ["Exact", "ImplementationSpecific", "Prefix"];
            causes.push(Cause::not_supported(format!("{path}.pathType"), &entry["pathType"], &words));
        }
    }
    backend(&entry["backend"], &format!("{path}.backend"), causes);
}

fn backend(backend: &Value, path: &str, causes: &mut Vec<Cause>) {
    match (has(backend, "resource"), has(backend, "service")) {
        (true, true) => {
            causes.push(Cause::invalid(path, &json!(""), "cannot set both resource and service backends"));
        }
        (true, false) => {
            for field in ["kind", "name"] {
                if text(&backend["resource"], field).is_empty() {
                    causes.push(Cause::required(format!("{path}.resource.{field}"), ""));
                }
            }
        }
        (false, true) => {
            let service = &backend["service"];
            match text(service, "name") {
                "" => causes.push(Cause::required(format!("{path}.service.name"), "")),
                name => named(&format!("{path}.service.name"), name, names::dns_label, causes),
            }
            let port = &service["port"];
            match (text(port, "name"), port["number"].as_i64().unwrap_or_default()) {
                ("", 0) => causes.push(Cause::required(path, "port name or number is required")),
                ("", _) => number::port(&port["number"], format!("{path}.service.port.number"), causes),
                (name, 0) => named(&format!("{path}.service.port.name"), name, names::port_name, causes),
                _ => causes.push(Cause::invalid(path, &json!(""), "cannot set both port name & port number")),
            }
        }
        (false, false) => {
            causes.push(Cause::invalid(path, &json!(""), "resource or service backend is required"));
        }
    }
}

pub(super) fn network_policy(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    selector::selector(&spec["podSelector"], "spec.podSelector", causes);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in items(spec, direction).iter().enumerate() {
            let path = format!("spec.{direction}[{index}]");
            for (index, port) in items(rule, "ports").iter().enumerate() {
                policy_port(port, &format!("{path}.ports[{index}]"), causes);
            }
            for (index, peer) in items(rule, peers).iter().enumerate() {
                policy_peer(peer, &format!("{path}.{peers}[{index}]"), causes);
            }
        }
    }
    let types = items(spec, "policyTypes");
    if types.len() > 2 {
        let message = "may not specify more than two policyTypes";
        causes.push(Cause::invalid("spec.policyTypes", &spec["policyTypes"], message));
        return;
    }
    for (index, word) in types.iter().enumerate().filter(|(_, word)| *word != "Ingress" && *word != "Egress")
    {
        causes.push(Cause::not_supported(format!("spec.policyTypes[{index}]"), word, &["Ingress", "Egress"]));
    }
}

fn policy_port(port: &Value, path: &str, causes: &mut Vec<Cause>) {
    if has(port, "protocol") && !matches!(text(port, "protocol"), "TCP" | "UDP" | "SCTP") {
        let words = ["TCP", "UDP", "SCTP"];
        causes.push(Cause::not_supported(format!("{path}.protocol"), &port["protocol"], &words));
    }
    let end = &port["endPort"];
    let mut end_fault = |message: &str| causes.push(Cause::invalid(format!("{path}.endPort"), end, message));
    match (&port["port"], end.as_i64()) {
        (Value::Null, Some(_)) => end_fault("may not be specified when `port` is not specified"),
        (Value::String(_), Some(_)) => end_fault("may not be specified when `port` is non-numeric"),
        (first, Some(last)) if first.as_i64().is_some_and(|first| last < first) => {
            end_fault("must be greater than or equal to `port`");
        }
        _ => {}
    }
    if has(port, "port") {
        port_or_name(&port["port"], &format!("{path}.port"), causes);
    }
}

fn policy_peer(peer: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut peers = 0;
    for field in ["podSelector", "namespaceSelector"].into_iter().filter(|field| has(peer, field)) {
        peers += 1;
        selector::selector(&peer[field], &format!("{path}.{field}"), causes);
    }
    if has(peer, "ipBlock") {
        if text(&peer["ipBlock"], "cidr").is_empty() {
            causes.push(Cause::required(format!("{path}.ipBlock.cidr"), ""));
        }
        if peers > 0 {
            causes.push(Cause::forbidden(path, "may not specify both ipBlock and another peer"));
        }
    } else if peers == 0 {
        causes.push(Cause::required(path, "must specify a peer"));
    }
}
