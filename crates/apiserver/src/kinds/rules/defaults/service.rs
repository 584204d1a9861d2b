//! Services and network policies.

use crate::kinds::value::{child, fill, items, items_mut, set, text, unset};
use serde_json::{Value, json};

pub(super) fn service(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    fill(spec, "sessionAffinity", "None");
    match text(spec, "sessionAffinity") {
        "None" => drop(unset(spec, "sessionAffinityConfig")),
        "ClientIP" if spec.pointer("/sessionAffinityConfig/clientIP/timeoutSeconds").is_none() => {
            set(spec, "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10800}}));
        }
        _ => {}
    }
    fill(spec, "type", "ClusterIP");
    for port in items_mut(spec, "ports") {
        fill(port, "protocol", "TCP");
        if matches!(port.get("targetPort"), None | Some(Value::Null))
            || port["targetPort"] == 0
            || port["targetPort"] == ""
        {
            let number = port["port"].clone();
            set(port, "targetPort", number);
        }
    }
    let kind = text(spec, "type").to_owned();
    let external = matches!(kind.as_str(), "NodePort" | "LoadBalancer")
        || kind == "ClusterIP" && !items(spec, "externalIPs").is_empty();
    if external {
        fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if kind == "ExternalName" {
        unset(spec, "internalTrafficPolicy");
    } else {
        fill(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        fill(spec, "allocateLoadBalancerNodePorts", true);
        if let Some(balancer) = object.pointer_mut("/status/loadBalancer") {
            for ingress in items_mut(balancer, "ingress") {
                if !text(ingress, "ip").is_empty() {
                    fill(ingress, "ipMode", "VIP");
                }
            }
        }
    }
}

pub(super) fn network_policy(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    for direction in ["ingress", "egress"] {
        for rule in items_mut(spec, direction) {
            for port in items_mut(rule, "ports") {
                fill(port, "protocol", "TCP");
            }
        }
    }
    let types =
        if items(spec, "egress").is_empty() { json!(["Ingress"]) } else { json!(["Ingress", "Egress"]) };
    fill(spec, "policyTypes", types);
}
