//! Tests of Core.

mod adoption;
mod environment;
mod key_rotation;
mod migration;
mod pods;
mod record;
mod refusals;
mod repair;
mod secrecy;
mod settings;

use super::Core;
use crate::cases::Case;
use serde_json::Value;

/// Names of the golden cases, which together use every field of a Core.
const CASES: [&str; 10] = [
    "as-the-chart",
    "minimal",
    "tls",
    "full",
    "harbor-2.5",
    "harbor-2.8",
    "harbor-2.9",
    "harbor-2.13",
    "harbor-2.15",
    "rediss",
];

fn a_core() -> Case<Core> {
    Case::golden("minimal")
}

#[test]
fn a09_the_network_policy_selects_the_pods_and_opens_the_ports_they_have() {
    let case = Case::<Core>::golden("full");
    let (policy, deployment) = (case.child("NetworkPolicy"), case.child("Deployment"));
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    for (key, value) in policy["spec"]["podSelector"]["matchLabels"].as_object().unwrap() {
        assert_eq!(&labels[key], value);
    }
    let names = |list: &Value, field: &str| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|port| port[field].clone()).collect()
    };
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(names(&policy["spec"]["ingress"][0]["ports"], "port"), names(&container["ports"], "name"));
}

#[test]
fn a_network_policy_is_made_only_where_it_is_asked_for() {
    let kinds = |case: Case<Core>| -> Vec<Value> {
        case.children().into_iter().map(|child| child["kind"].clone()).collect()
    };
    assert!(!kinds(a_core()).contains(&"NetworkPolicy".into()));
    assert!(
        !kinds(a_core().annotated("goharbor.io/network-policies", "false")).contains(&"NetworkPolicy".into())
    );
    assert!(
        kinds(a_core().annotated("goharbor.io/network-policies", "true")).contains(&"NetworkPolicy".into())
    );
}
