//! HarborConfiguration: settings of a running Harbor, managed as an object.

pub mod allowlist;
pub mod audit_log;
pub mod authentication;
pub mod banner;
pub mod label;
pub mod schedules;
pub mod settings;

pub use self::{
    allowlist::CveAllowlist, banner::BannerMessage, label::SystemLabel, schedules::SystemSchedules,
    settings::HarborConfigurationSettings,
};

use super::{
    harbor_target::HarborReference, managed_object::ManagedObjectStatus, name::ObjectName,
    status::Observation,
};
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
    doc = "Settings, schedules and the CVE allow list of a running Harbor.",
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
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor the settings belong to"
    ),
    printcolumn(
        name = "Status",
        type_ = "string",
        json_path = ".status.status",
        description = "State in one word"
    ),
    validation = Rule::new(
            "[has(self.spec.harborRef), has(self.spec.harborServerConfig), has(self.spec.harborClusterRef)]\
             .filter(set, set).size() == 1 || (oldSelf.hasValue() && !has(oldSelf.value().spec.harborRef) \
             && !has(oldSelf.value().spec.harborServerConfig) && !has(oldSelf.value().spec.harborClusterRef) \
             && !has(self.spec.harborRef) && !has(self.spec.harborServerConfig) && !has(self.spec.harborClusterRef))")
        .message("spec.harborRef: exactly one of harborRef, harborServerConfig and harborClusterRef is required; keep the one that names the Harbor")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct HarborConfigurationSpec {
    /// The Harbor or HarborCluster in the same namespace. The operator knows its address and its credentials. Exactly
    /// one of `harborRef`, `harborServerConfig` and `harborClusterRef` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harbor_ref: Option<HarborReference>,

    /// Name of the HarborServerConfiguration that has the address and the credentials of the Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harbor_server_config: Option<ObjectName>,

    /// Name of the HarborCluster or Harbor in the same namespace: the old way to write `harborRef`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harbor_cluster_ref: Option<String>,

    /// The settings. What is not listed keeps its value in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<Box<HarborConfigurationSettings>>,

    /// When Harbor collects garbage, scans all images and purges the audit log. What is not listed keeps its schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedules: Option<SystemSchedules>,

    /// Vulnerabilities that do not keep images from being pulled, in all projects that reuse this list. Left out, the
    /// operator leaves the list alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cve_allowlist: Option<CveAllowlist>,

    /// Labels of the whole Harbor, for artifacts of all projects. Other labels are left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub labels: Option<Vec<SystemLabel>>,
}

impl HarborConfigurationSpec {
    /// The Harbor or HarborCluster that the spec names, with either field.
    pub fn harbor(&self) -> Option<HarborReference> {
        let old = || {
            let name = self.harbor_cluster_ref.as_deref().filter(|name| !name.is_empty())?;
            Some(HarborReference { name: name.into(), kind: None })
        };
        self.harbor_ref.clone().or_else(old)
    }
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
    pub last_configuration: Option<Box<HarborConfigurationSpec>>,

    /// Digest of the schedules that the operator last sent, with what Harbor freezes into them and does not return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 128))]
    pub schedules_digest: Option<String>,

    /// What the operator knows about the settings in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
