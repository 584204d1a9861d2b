//! Network policies of a component.

use api::names::NETWORK_POLICIES_ANNOTATION;
use k8s_openapi::{
    api::networking::v1::{NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPort, NetworkPolicySpec},
    apimachinery::pkg::{apis::meta::v1::LabelSelector, util::intstr::IntOrString},
};
use kube::core::ObjectMeta;
use plan::{Defaults, NetworkPolicies};
use std::collections::BTreeMap;

/// Whether an object has network policies: its annotation decides, otherwise the operator's default.
pub(crate) fn network_policies_wanted(
    annotations: Option<&BTreeMap<String, String>>,
    defaults: &Defaults,
) -> bool {
    match annotations.and_then(|annotations| annotations.get(NETWORK_POLICIES_ANNOTATION)) {
        Some(value) => value == "true",
        None => defaults.network_policies == NetworkPolicies::Enabled,
    }
}

/// Denies all egress of pods. Replies on incoming connections are not egress.
pub(crate) fn no_egress_policy(metadata: ObjectMeta, pods: BTreeMap<String, String>) -> NetworkPolicy {
    NetworkPolicy {
        metadata,
        spec: Some(NetworkPolicySpec {
            pod_selector: Some(LabelSelector { match_labels: Some(pods), match_expressions: None }),
            policy_types: Some(vec!["Egress".into()]),
            ingress: None,
            egress: None,
        }),
    }
}

/// Allows ingress from everywhere to these named ports, and to no other port.
pub(crate) fn ingress_policy(
    metadata: ObjectMeta,
    pods: BTreeMap<String, String>,
    ports: impl IntoIterator<Item = &'static str>,
) -> NetworkPolicy {
    let port = |name: &str| NetworkPolicyPort {
        port: Some(IntOrString::String(name.into())),
        protocol: Some("TCP".into()),
        ..NetworkPolicyPort::default()
    };
    let rule =
        NetworkPolicyIngressRule { ports: Some(ports.into_iter().map(port).collect()), ..Default::default() };
    NetworkPolicy {
        metadata,
        spec: Some(NetworkPolicySpec {
            pod_selector: Some(LabelSelector { match_labels: Some(pods), match_expressions: None }),
            policy_types: Some(vec!["Ingress".into()]),
            ingress: Some(vec![rule]),
            egress: None,
        }),
    }
}
