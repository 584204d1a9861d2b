//! Scrape settings of a component's metrics.

use super::duration::GoDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A ServiceMonitor. Its presence, even empty, makes one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceMonitorSpec {
    /// Labels added to it; many a Prometheus selects by them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,

    /// Scrape interval. That of Prometheus by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<GoDuration>,

    /// Whether labels of Harbor's metrics win over those that Prometheus adds. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub honor_labels: Option<bool>,

    /// Label of the Service that names the job, such as `app.kubernetes.io/component`. The name of the Service unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub job_label: Option<String>,

    /// How targets are relabelled, as the Prometheus operator writes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relabelings: Vec<RelabelingSpec>,

    /// How metrics are relabelled, as the Prometheus operator writes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metric_relabelings: Vec<RelabelingSpec>,
}

/// One step of relabelling, passed on as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelabelingSpec {
    /// What is done: replace unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,

    /// Labels whose values are joined and matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_labels: Vec<String>,

    /// What joins them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,

    /// Label the result is written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_label: Option<String>,

    /// Regular expression the joined values are matched against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,

    /// Modulus of the hash of the joined values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulus: Option<i64>,

    /// What a match is replaced by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}
