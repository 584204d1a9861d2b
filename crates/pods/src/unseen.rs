//! What a report lacks, and the permissions that it takes.

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde::Serialize;
use std::fmt;

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unseen {
    /// The resource, such as `pods` or `pods/log`.
    pub resource: &'static str,
    /// Where.
    pub namespace: String,
    /// Whether a permission is missing.
    pub forbidden: bool,
    /// What the API server says.
    pub problem: String,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, namespace, forbidden, problem } = self;
        if *forbidden {
            let verb = self.verb();
            write!(f, "without permission to {verb} {resource} in namespace {namespace}: {problem}")
        } else {
            write!(f, "cannot read {resource} in namespace {namespace}: {problem}")
        }
    }
}

impl Unseen {
    /// The verb of the request.
    pub fn verb(&self) -> &'static str {
        verb(self.resource)
    }

    /// The API group of the resource.
    pub fn group(&self) -> &'static str {
        match self.resource {
            JOBS => "batch",
            DEPLOYMENTS | STATEFUL_SETS | REPLICA_SETS => "apps",
            _ => "",
        }
    }
}

fn verb(resource: &str) -> &'static str {
    if resource == LOGS { "get" } else { "list" }
}

pub(crate) const PODS: &str = "pods";
pub(crate) const LOGS: &str = "pods/log";
pub(crate) const EVENTS: &str = "events";
pub(crate) const DEPLOYMENTS: &str = "deployments";
pub(crate) const STATEFUL_SETS: &str = "statefulsets";
pub(crate) const JOBS: &str = "jobs";
pub(crate) const REPLICA_SETS: &str = "replicasets";

/// The permissions that a report takes beside those to list workloads, pods and events: for the logs of containers, and to tell
/// the pods of the newest template from those of earlier ones.
pub fn permissions() -> Vec<PolicyRule> {
    let rule = |group: &str, resource: &'static str| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(vec![resource.to_owned()]),
        verbs: vec![verb(resource).to_owned()],
        ..PolicyRule::default()
    };
    vec![rule("", LOGS), rule("apps", REPLICA_SETS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_names_the_permission_that_is_missing_or_the_problem() {
        let unseen = |resource, forbidden| Unseen {
            resource,
            namespace: "ns".into(),
            forbidden,
            problem: "no".into(),
        };
        assert_eq!(unseen(LOGS, true).to_string(), "without permission to get pods/log in namespace ns: no");
        assert_eq!(unseen(PODS, true).to_string(), "without permission to list pods in namespace ns: no");
        assert_eq!(unseen(PODS, false).to_string(), "cannot read pods in namespace ns: no");
    }
}
