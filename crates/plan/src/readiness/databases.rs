//! Readiness of PostgreSQL, as its operators report it.

use super::Readiness;
use crate::{Manifest, Observe};
use api::thirdparty::{
    cloud_native_pg::{PostgresCluster, PostgresClusterStatus},
    zalando::Postgresql,
};

/// Zalando's operator retries a failed operation every few minutes; only an invalid object it leaves alone. The
/// status has no observed generation.
impl Manifest for Postgresql {
    const PROVIDER: &'static str = "the Zalando postgres operator";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        match self.status.as_ref().map(|status| status.state.as_str()) {
            Some("Running") => Readiness::Ready,
            Some("Invalid") => {
                Readiness::Failed("the Zalando postgres operator finds it invalid; its log says why".into())
            }
            Some(failed @ ("CreateFailed" | "UpdateFailed" | "SyncFailed")) => {
                Readiness::Progressing(format!(
                    "the Zalando postgres operator reports {failed} and will try again; its events say why"
                ))
            }
            Some("") | None => {
                Readiness::Progressing("the Zalando postgres operator has not reconciled it yet".into())
            }
            Some(other) => Readiness::Progressing(format!("the Zalando postgres operator reports {other}")),
        }
    }
}

/// Phases that CloudNativePG does not leave before a user acts.
const STUCK: [&str; 4] = [
    "Cluster is unrecoverable and needs manual intervention",
    "Cluster has incomplete or invalid image catalog",
    "Cluster cannot proceed to reconciliation due to an unknown plugin being required",
    "Waiting for user action",
];

/// Ready when its `Ready` condition is true. The condition has no observed generation.
impl Manifest for PostgresCluster {
    const PROVIDER: &'static str = "CloudNativePG";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let unobserved = || Readiness::Progressing("CloudNativePG has not reconciled it yet".into());
        let Some(status) = &self.status else { return unobserved() };
        let ready = status.conditions.iter().find(|condition| condition.type_ == "Ready");
        match (&status.phase, ready) {
            (_, Some(ready)) if ready.status == "True" => Readiness::Ready,
            (Some(phase), _) if STUCK.contains(&phase.as_str()) => Readiness::Failed(message(phase, status)),
            (Some(phase), _) => Readiness::Progressing(message(phase, status)),
            (None, Some(ready)) => Readiness::Progressing(ready.message.clone()),
            (None, None) => unobserved(),
        }
    }
}

fn message(phase: &str, status: &PostgresClusterStatus) -> String {
    match status.phase_reason.as_deref().filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{phase}: {reason}"),
        None => phase.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn zalando(status: &Value) -> Readiness {
        let object = json!({"metadata": {"name": "pg"}, "spec": {}, "status": status});
        serde_json::from_value::<Postgresql>(object).unwrap().readiness()
    }

    fn cloud_native_pg(status: &Value) -> Readiness {
        let object = json!({"metadata": {"name": "pg"}, "spec": {}, "status": status});
        serde_json::from_value::<PostgresCluster>(object).unwrap().readiness()
    }

    fn progressing(message: &str) -> Readiness {
        Readiness::Progressing(message.into())
    }

    fn ready(status: &str) -> Value {
        json!([{
            "type": "Ready", "status": status, "reason": "R", "message": "Cluster Is Not Ready",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }])
    }

    #[test]
    fn a_zalando_cluster_is_ready_when_it_runs_and_failed_only_when_its_operator_does_not_retry() {
        let unobserved = progressing("the Zalando postgres operator has not reconciled it yet");
        let cases = [
            (json!(null), unobserved.clone()),
            (json!({"PostgresClusterStatus": ""}), unobserved),
            (
                json!({"PostgresClusterStatus": "Creating"}),
                progressing("the Zalando postgres operator reports Creating"),
            ),
            (json!({"PostgresClusterStatus": "Running"}), Readiness::Ready),
            (
                json!({"PostgresClusterStatus": "SyncFailed"}),
                progressing(
                    "the Zalando postgres operator reports SyncFailed and will try again; its events say why",
                ),
            ),
            (
                json!({"PostgresClusterStatus": "Invalid"}),
                Readiness::Failed("the Zalando postgres operator finds it invalid; its log says why".into()),
            ),
        ];
        for (status, expected) in cases {
            assert_eq!(zalando(&status), expected, "{status}");
        }
    }

    #[test]
    fn a_cloud_native_cluster_is_ready_when_its_condition_says_so() {
        let stuck = "Cluster is unrecoverable and needs manual intervention";
        let cases = [
            (json!(null), progressing("CloudNativePG has not reconciled it yet")),
            (json!({}), progressing("CloudNativePG has not reconciled it yet")),
            (json!({"conditions": ready("False")}), progressing("Cluster Is Not Ready")),
            (
                json!({"phase": "Setting up primary", "phaseReason": "", "conditions": ready("False")}),
                progressing("Setting up primary"),
            ),
            (
                json!({"phase": "Creating a new replica", "phaseReason": "pg-2"}),
                progressing("Creating a new replica: pg-2"),
            ),
            (json!({"phase": stuck, "conditions": ready("False")}), Readiness::Failed(stuck.into())),
            (json!({"phase": "Cluster in healthy state", "conditions": ready("True")}), Readiness::Ready),
        ];
        for (status, expected) in cases {
            assert_eq!(cloud_native_pg(&status), expected, "{status}");
        }
    }
}
