//! The network policies of a Harbor.

use super::Harbor;
use crate::cases::Case;
use serde_json::{Value, json};

fn policies(case: &Case<Harbor>) -> Vec<Value> {
    case.children().into_iter().filter(|child| child["kind"] == "NetworkPolicy").collect()
}

/// The rules for pods of `to`.
fn rules<'a>(policies: &'a [Value], to: &str) -> &'a Vec<Value> {
    let name = format!("acme-harbor-{to}-ingress");
    let policy = policies.iter().find(|policy| policy["metadata"]["name"] == name.as_str()).unwrap();
    policy["spec"]["ingress"].as_array().unwrap()
}

/// Whether pods of `from` may reach `port` of pods of `to`; `None` stands for all other pods.
fn may(policies: &[Value], from: Option<&str>, to: &str, port: &str) -> bool {
    let labels = from.map(|from| json!(format!("acme-harbor-{from}")));
    rules(policies, to).iter().any(|rule| {
        let opened = rule["ports"].as_array().unwrap().iter().any(|opened| opened["port"] == port);
        let lets_in = match (rule["from"].as_array(), from) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(peers), Some(from)) => peers.iter().any(|peer| {
                peer["podSelector"]["matchLabels"].get(format!("{from}.goharbor.io/name")) == labels.as_ref()
            }),
        };
        opened && lets_in
    })
}

#[test]
fn a09_harbor_works_with_network_policies() {
    let policies = policies(&Case::<Harbor>::golden("harbor-2.5"));
    for (from, to, port) in [
        ("core", "registry", "api"),
        ("core", "registry", "https"),
        ("core", "jobservice", "https"),
        ("core", "chartmuseum", "https"),
        ("core", "trivy", "https"),
        ("core", "portal", "https"),
        ("core", "notaryserver", "api"),
        ("jobservice", "core", "https"),
        ("jobservice", "registry", "api"),
        ("jobservice", "registry", "https"),
        ("jobservice", "trivy", "https"),
        ("trivy", "core", "https"),
        ("exporter", "core", "https"),
        ("notaryserver", "notarysigner", "api"),
    ] {
        assert!(may(&policies, Some(from), to, port), "{from} cannot reach {to}");
    }
}

#[test]
fn a09_only_users_and_prometheus_reach_pods_from_outside() {
    let policies = policies(&Case::<Harbor>::golden("harbor-2.13"));
    for (to, port, open) in [
        ("core", "http", true),
        ("core", "metrics", true),
        ("portal", "http", true),
        ("exporter", "metrics", true),
        ("registry", "api", false),
        ("registry", "http", false),
        ("registry", "metrics", true),
        ("jobservice", "http", false),
        ("jobservice", "metrics", true),
        ("trivy", "http", false),
    ] {
        assert_eq!(may(&policies, None, to, port), open, "{to} {port}");
    }
}

#[test]
fn the_portal_connects_to_nothing() {
    let policies = policies(&Case::<Harbor>::golden("harbor-2.13"));
    let egress = policies.iter().find(|policy| policy["metadata"]["name"] == "acme-harbor-portal-egress");
    let expected = json!({
        "podSelector": {"matchLabels": {
            "portal.goharbor.io/name": "acme-harbor-portal", "portal.goharbor.io/namespace": "registry",
        }},
        "policyTypes": ["Egress"],
        "egress": [],
    });
    assert_eq!(egress.unwrap()["spec"], expected);
}

#[test]
fn without_the_annotation_there_are_none() {
    assert_eq!(policies(&Case::<Harbor>::golden("minimal")), Vec::<Value>::new());
}
