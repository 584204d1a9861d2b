//! Times of a container's probes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Times of the probes of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbesSpec {
    /// While it starts. A component without such a probe gets one that asks what the liveness probe asks. A rollout is
    /// given as long as this lets a container take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup: Option<ProbeTimes>,

    /// Whether it must be restarted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liveness: Option<ProbeTimes>,

    /// Whether it gets requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<ReadinessTimes>,
}

/// Times of the probe that decides on requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadinessTimes {
    /// As of every probe.
    #[serde(flatten)]
    pub times: ProbeTimes,

    /// Successes in a row that count, after a failure.
    // Of the other probes Kubernetes accepts nothing but 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub success_threshold: Option<i32>,
}

/// Times of one probe. What is not set stays as the operator chose it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeTimes {
    /// Seconds before the first probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub initial_delay_seconds: Option<i32>,

    /// Seconds between probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub period_seconds: Option<i32>,

    /// Seconds an answer may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub timeout_seconds: Option<i32>,

    /// Failures in a row that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub failure_threshold: Option<i32>,
}
