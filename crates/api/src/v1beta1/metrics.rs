//! Prometheus metrics of a component.

use super::{defaults::int, service_monitor::ServiceMonitorSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Prometheus endpoint of a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricsSpec {
    /// Whether metrics are served. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// Port metrics are served on. Defaults to 8001.
    #[serde(default = "int::<8001>")]
    #[schemars(range(min = 1))]
    pub port: i32,

    /// Path metrics are served under. Defaults to `/metrics`.
    #[serde(default = "metrics_path")]
    #[schemars(regex(pattern = "^/.+$"))]
    pub path: String,

    /// Creates a ServiceMonitor, by which the Prometheus operator finds the metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_monitor: Option<ServiceMonitorSpec>,
}

default_is_the_empty_object!(MetricsSpec);

/// Default path.
pub(crate) fn metrics_path() -> String {
    "/metrics".to_owned()
}
