//! HarborConfiguration: settings of a running Harbor, managed as an object.

pub mod authentication;
pub mod settings;

pub use self::settings::HarborConfigurationSettings;

use super::status::Observation;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of a running Harbor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborConfiguration",
    doc = "Settings of a running Harbor, managed as an object. The operator accepts it and does not act on it yet.",
    namespaced,
    plural = "harborconfigurations",
    shortname = "hc",
    category = "goharbor",
    status = "HarborConfigurationStatus",
    derive = "PartialEq",
    printcolumn(
        name = "HarborCluster",
        type_ = "string",
        json_path = ".spec.harborClusterRef",
        description = "HarborCluster the settings belong to"
    ),
    printcolumn(
        name = "Status",
        type_ = "string",
        json_path = ".status.status",
        description = "State in one word"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct HarborConfigurationSpec {
    /// HarborCluster in the same namespace the settings belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harbor_cluster_ref: Option<String>,

    /// The settings. What is not listed keeps its value in Harbor. What Harbor added since 2.6 has no field here, such
    /// as the timeout of sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<HarborConfigurationSettings>,
}

/// What the operator last observed of a HarborConfiguration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborConfigurationStatus {
    /// State in one word: Success, Fail or Unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,

    /// Why, as one word for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,

    /// Why, as a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,

    /// When the settings were last written to Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_apply_time: Option<Time>,

    /// The settings that were last written to Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_configuration: Option<HarborConfigurationSpec>,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
