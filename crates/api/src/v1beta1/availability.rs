//! How many pods of a component there are, and how many may be missing.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many pods may be taken away at once: exactly one of the two is required.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodDisruptionBudgetSpec {
    /// Number or percentage of pods that must stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_available: Option<IntOrString>,

    /// Number or percentage of pods that may be taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
}

/// Between which bounds an autoscaler chooses the number of pods, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoscalingSpec {
    /// Least pods. 1 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub min_replicas: Option<i32>,

    /// Most pods.
    #[schemars(range(min = 1))]
    pub max_replicas: i32,

    /// Average use of the requested CPU that is aimed at, in percent. 80 unless set or memory is.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "targetCPUUtilizationPercentage")]
    #[schemars(range(min = 1))]
    pub target_cpu_utilization_percentage: Option<i32>,

    /// Average use of the requested memory that is aimed at, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub target_memory_utilization_percentage: Option<i32>,
}
