//! HarborCluster: an installation together with the database, Redis and storage it needs.

pub mod cache;
pub mod database;
pub mod storage;

pub use self::{cache::CacheSpec, database::DatabaseSpec, storage::StorageSpec};

use super::{installation::InstallationSpec, status::Observation};

pub use super::installation::DeletionPolicy;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An installation together with the database, Redis and storage it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborCluster",
    doc = "An installation of Harbor together with the database, Redis and storage it needs.",
    namespaced,
    plural = "harborclusters",
    shortname = "hcl",
    category = "goharbor",
    status = "HarborClusterStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Public URL",
        type_ = "string",
        json_path = ".spec.externalURL",
        description = "URL under which users reach Harbor"
    ),
    printcolumn(
        name = "Version",
        type_ = "string",
        json_path = ".spec.version",
        description = "Version of Harbor"
    ),
    printcolumn(
        name = "Status",
        type_ = "string",
        json_path = ".status.status",
        description = "State of the installation in one word"
    ),
    printcolumn(
        name = "Operator Version",
        type_ = "string",
        json_path = ".status.operator.controllerVersion",
        description = "Version of the operator",
        priority = 30
    ),
    printcolumn(
        name = "Operator Git Commit",
        type_ = "string",
        json_path = ".status.operator.controllerGitCommit",
        description = "Commit the operator was built from",
        priority = 30
    ),
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 37")
        .message("metadata.name: at most 37 characters, so that the Service <name>-harbor-harbor-registryctl fits into 63; shorten it")
        .optional_old_self(true),
    validation = Rule::new(
        "!has(self.spec.notary) || self.metadata.name.size() <= 36 \
         || (oldSelf.hasValue() && has(oldSelf.value().spec.notary))")
        .message("metadata.name: at most 36 characters with notary, so that the Service <name>-harbor-harbor-notaryserver fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "self.storage.kind != 'FileSystem' || !has(self.registryctl) || !has(self.registryctl.nodeSelector) \
         || self.registryctl.nodeSelector.size() == 0 || (has(self.registry) && has(self.registry.nodeSelector) \
         && self.registryctl.nodeSelector == self.registry.nodeSelector)")
    .message("registryctl.nodeSelector: the controller runs in the registry's pods; remove it or repeat registry.nodeSelector"))]
#[x_kube(validation = Rule::new(
        "self.storage.kind != 'FileSystem' || !has(self.registryctl) || !has(self.registryctl.tolerations) \
         || self.registryctl.tolerations.size() == 0 || (has(self.registry) && has(self.registry.tolerations) \
         && dyn(self.registryctl.tolerations) == dyn(self.registry.tolerations))")
    .message("registryctl.tolerations: the controller runs in the registry's pods; remove it or repeat registry.tolerations"))]
pub struct HarborClusterSpec {
    /// The installation.
    #[serde(flatten)]
    pub installation: Box<InstallationSpec>,

    /// Redis: one that exists, or one the operator runs.
    pub cache: CacheSpec,

    /// PostgreSQL: one that exists, or one the operator runs.
    pub database: DatabaseSpec,

    /// Where images and charts are stored: a store that exists, or one the operator runs.
    pub storage: StorageSpec,
}

/// State of a HarborCluster in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HarborClusterState {
    /// On its way.
    Provisioning,
    /// Everything works.
    Healthy,
    /// Something does not, and waiting will not help.
    Unhealthy,
}

/// What the operator last observed of a HarborCluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborClusterStatus {
    /// State in one word: provisioning, healthy or unhealthy.
    // Not required, unlike in the Go operator's schema: of an object that it cannot decode, the operator reports the error only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,

    /// Whether data is kept when the HarborCluster is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<DeletionPolicy>,

    /// When a condition last changed, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}

#[cfg(test)]
mod tests {
    use super::HarborCluster;
    use kube::CustomResourceExt as _;
    use serde_json::Value;

    #[test]
    fn a_status_may_consist_of_the_error_alone() {
        let definition = serde_json::to_value(HarborCluster::crd()).unwrap();
        let status = "/spec/versions/0/schema/openAPIV3Schema/properties/status";
        let status = definition.pointer(status).unwrap();
        assert!(status["properties"]["conditions"].is_object(), "{status}");
        assert_eq!(status["required"], Value::Null);
    }
}
