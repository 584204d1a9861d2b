//! Tests of Harbor.

mod adoption;
mod backup;
mod certificates;
mod chart;
mod claims;
mod defaults;
mod graph;
mod ingress;
mod internal_tls;
mod network_policies;
mod refusals;
mod relocation;
mod rotation;
mod rotation_and_encryption_key;
mod rotation_by_cert_manager;
mod rotation_of_jobs;
mod spec;
mod upgrade;
mod verification;

use super::Harbor;
use crate::cases::Case;
use plan::{Plan, Policy};
use serde_json::Value;

/// Names of the golden cases, which together use every field of a Harbor.
const CASES: [&str; 16] = [
    "as-the-chart",
    "backup",
    "minimal",
    "harbor-2.5",
    "harbor-2.8",
    "harbor-2.9",
    "harbor-2.13",
    "harbor-2.15",
    "own-certificates",
    "rotation",
    "rotation-of-certificates",
    "storage-oss",
    "upgrade",
    "versions",
    "volumes",
    "without-cert-manager",
];

fn a_harbor() -> Case<Harbor> {
    Case::golden("minimal")
}

fn names(case: &Case<Harbor>, kind: &str) -> Vec<String> {
    let children = case.children().into_iter().filter(|child| child["kind"] == kind);
    children.map(|child| child["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

fn kinds(case: &Case<Harbor>) -> Vec<String> {
    case.children().into_iter().map(|child| child["kind"].as_str().unwrap().to_owned()).collect()
}

/// What a child waits for, as `Kind name`.
fn waits_for(plan: &Plan, kind: &str, name: &str) -> Vec<String> {
    let (_, _, after) = plan
        .graph
        .iter()
        .find(|(_, desired, _)| desired.object.key().kind == kind && desired.object.key().name == name)
        .unwrap();
    let shown = |id: &_| {
        let key = plan.graph[*id].object.key();
        format!("{} {}", key.kind, key.name)
    };
    after.iter().map(shown).collect()
}

fn policy(case: &Case<Harbor>, secret: &str) -> Policy {
    policy_of(&case.plan().unwrap(), secret).unwrap()
}

/// How the operator ensures that a child exists, if it is wanted.
fn policy_of(plan: &Plan, name: &str) -> Option<Policy> {
    let found = plan.graph.iter().find(|(_, desired, _)| desired.object.key().name == name);
    found.map(|(_, desired, _)| desired.policy.clone())
}

fn spec(case: &Case<Harbor>, kind: &str) -> Value {
    case.child(kind)["spec"].clone()
}
