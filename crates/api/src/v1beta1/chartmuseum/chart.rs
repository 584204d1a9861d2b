//! Charts: how they are stored, indexed and uploaded.

use super::storage::ChartMuseumStorageSpec;
use crate::v1beta1::{
    defaults::{int, on},
    duration::GoDuration,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Charts: how they are stored, indexed and uploaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumChartSpec {
    /// Where charts are stored.
    pub storage: ChartMuseumStorageSpec,

    /// URL charts are downloaded from, for indexes with absolute URLs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^https?://.*$"))]
    pub url: Option<String>,

    /// Whether an upload may replace a chart. Defaults to true.
    #[serde(default = "on")]
    pub allow_overwrite: bool,

    /// Whether only versions after Semantic Versioning 2 are accepted. Defaults to false.
    #[serde(default)]
    pub only_semver2: bool,

    /// Indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<ChartMuseumIndexSpec>,

    /// Repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<ChartMuseumRepoSpec>,

    /// Names of the fields of an upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_form_field_name: Option<ChartMuseumPostFormFieldNameSpec>,
}

/// Indexes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumIndexSpec {
    /// Most repositories indexed at once. No limit unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub parallel_limit: Option<i32>,

    /// By how much times of the storage may differ before a chart is indexed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_timestamp_tolerance: Option<GoDuration>,
}

/// Repositories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumRepoSpec {
    /// Number of directories that make up a repository. Defaults to 1.
    #[serde(default = "int::<1>")]
    #[schemars(range(min = 0))]
    pub depth: i32,

    /// Whether repositories of any depth exist. Defaults to false.
    #[serde(default)]
    pub depth_dynamic: bool,
}

/// Names of the fields of an upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumPostFormFieldNameSpec {
    /// Field of the chart. Defaults to chart.
    #[serde(default = "chart_field")]
    #[schemars(length(min = 1))]
    pub chart: String,

    /// Field of the provenance file. Defaults to prov.
    #[serde(default = "provenance_field")]
    #[schemars(length(min = 1))]
    pub provenance: String,
}

default_is_the_empty_object!(ChartMuseumRepoSpec, ChartMuseumPostFormFieldNameSpec);

fn chart_field() -> String {
    "chart".to_owned()
}

fn provenance_field() -> String {
    "prov".to_owned()
}
