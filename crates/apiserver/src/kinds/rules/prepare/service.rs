//! Changes of a Service: keeps allocated values, and drops those that no longer apply.

use crate::kinds::value::{child, copy, has, items, items_mut, set, text, unset};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An old client sets only the singular field.
pub(super) fn prepare_create(service: &mut Value) {
    let Some(spec) = child(service, "spec") else { return };
    if !text(spec, "clusterIP").is_empty() && items(spec, "clusterIPs").is_empty() {
        let address = spec["clusterIP"].clone();
        set(spec, "clusterIPs", json!([address]));
    }
}

pub(super) fn prepare_update(old: &Value, new: &mut Value) {
    let before = &old["spec"];
    let Some(spec) = child(new, "spec") else { return };
    keep_allocated(before, spec);
    follow_cluster_ip(before, spec);
    drop_what_no_longer_applies(before, spec);
    if text(spec, "type") != "LoadBalancer"
        && let Some(status) = child(new, "status")
    {
        set(status, "loadBalancer", json!({}));
    }
}

fn keep_allocated(old: &Value, new: &mut Value) {
    if needs_address(old) && needs_address(new) {
        if text(new, "clusterIP").is_empty() {
            copy(old, new, "clusterIP");
        }
        if items(new, "clusterIPs").is_empty() {
            copy(old, new, "clusterIPs");
        }
        // A Service gets or loses addresses of a second family only if the client requests it.
        if !has(new, "ipFamilyPolicy") {
            copy(old, new, "ipFamilyPolicy");
        }
    }
    if !needs_ports(old) || !needs_ports(new) {
        return;
    }
    let numbers = |spec: &Value| -> BTreeSet<i64> {
        items(spec, "ports").iter().filter_map(|port| port["nodePort"].as_i64()).collect()
    };
    let mut used: BTreeSet<i64> = numbers(old).intersection(&numbers(new)).copied().collect();
    let known: BTreeMap<String, i64> = items(old, "ports")
        .iter()
        .filter_map(|port| Some((text(port, "name").to_owned(), port["nodePort"].as_i64()?)))
        .collect();
    for port in items_mut(new, "ports") {
        if !has(port, "nodePort")
            && let Some(number) = known.get(text(port, "name"))
            && used.insert(*number)
        {
            set(port, "nodePort", *number);
        }
    }
    if needs_health_port(old) && needs_health_port(new) && !has(new, "healthCheckNodePort") {
        copy(old, new, "healthCheckNodePort");
    }
}

/// An old client changes only the singular field.
fn follow_cluster_ip(old: &Value, new: &mut Value) {
    let same = old["clusterIP"] == new["clusterIP"];
    if same && items(new, "clusterIPs").is_empty() {
        copy(old, new, "clusterIPs");
    } else if !same && old.get("clusterIPs") == new.get("clusterIPs") {
        match text(new, "clusterIP") {
            "" => drop(unset(new, "clusterIPs")),
            address => {
                let addresses = json!([address]);
                set(new, "clusterIPs", addresses);
            }
        }
    }
}

fn drop_what_no_longer_applies(old: &Value, new: &mut Value) {
    let same = |new: &Value, field: &str| old.get(field) == new.get(field);
    if needs_address(old) && !needs_address(new) {
        if same(new, "clusterIP") && same(new, "clusterIPs") {
            unset(new, "clusterIP");
            unset(new, "clusterIPs");
        }
        for field in ["ipFamilies", "ipFamilyPolicy"] {
            if same(new, field) {
                unset(new, field);
            }
        }
    }
    if needs_ports(old) && !needs_ports(new) {
        for port in items_mut(new, "ports") {
            unset(port, "nodePort");
        }
    }
    if needs_health_port(old) && !needs_health_port(new) && same(new, "healthCheckNodePort") {
        unset(new, "healthCheckNodePort");
    }
    if text(old, "type") == "LoadBalancer" && text(new, "type") != "LoadBalancer" {
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if same(new, field) {
                unset(new, field);
            }
        }
    }
    if is_external(old) && !is_external(new) && same(new, "externalTrafficPolicy") {
        unset(new, "externalTrafficPolicy");
    }
}

fn needs_address(spec: &Value) -> bool {
    text(spec, "type") != "ExternalName"
}

fn needs_ports(spec: &Value) -> bool {
    matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
}

fn needs_health_port(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
}

fn is_external(spec: &Value) -> bool {
    needs_ports(spec) || text(spec, "type") == "ClusterIP" && !items(spec, "externalIPs").is_empty()
}
