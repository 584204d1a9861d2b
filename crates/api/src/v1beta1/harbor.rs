//! Harbor: an installation on top of a database, a Redis and a storage that exist.

pub mod storage;

pub use self::storage::HarborStorageSpec;

use super::{
    installation::InstallationSpec, postgres::HarborDatabaseSpec, redis::HarborRedisSpec,
    rotation::RotationStatus, status::ComponentStatus,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An installation on top of a database, a Redis and a storage that exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "Harbor",
    doc = "An installation of Harbor on top of a database, a Redis and a storage that exist.",
    namespaced,
    plural = "harbors",
    shortname = "h",
    category = "goharbor",
    status = "HarborStatus",
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
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 44")
        .message("metadata.name: at most 44 characters, so that the Service <name>-harbor-registryctl fits into 63; shorten it")
        .optional_old_self(true),
    validation = Rule::new(
        "!has(self.spec.notary) || self.metadata.name.size() <= 43 \
         || (oldSelf.hasValue() && has(oldSelf.value().spec.notary))")
        .message("metadata.name: at most 43 characters with notary, so that the Service <name>-harbor-notaryserver fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "!has(self.imageChartStorage.filesystem) || !has(self.registryctl) || !has(self.registryctl.nodeSelector) \
         || self.registryctl.nodeSelector.size() == 0 || (has(self.registry) && has(self.registry.nodeSelector) \
         && self.registryctl.nodeSelector == self.registry.nodeSelector)")
    .message("registryctl.nodeSelector: the controller runs in the registry's pods; remove it or repeat registry.nodeSelector"))]
#[x_kube(validation = Rule::new(
        "!has(self.imageChartStorage.filesystem) || !has(self.registryctl) || !has(self.registryctl.tolerations) \
         || self.registryctl.tolerations.size() == 0 || (has(self.registry) && has(self.registry.tolerations) \
         && dyn(self.registryctl.tolerations) == dyn(self.registry.tolerations))")
    .message("registryctl.tolerations: the controller runs in the registry's pods; remove it or repeat registry.tolerations"))]
pub struct HarborSpec {
    /// The installation.
    #[serde(flatten)]
    pub installation: Box<InstallationSpec>,

    /// PostgreSQL.
    pub database: HarborDatabaseSpec,

    /// Redis.
    pub redis: HarborRedisSpec,

    /// Where images and charts are stored: exactly one store.
    pub image_chart_storage: HarborStorageSpec,
}

/// What the operator last observed of a Harbor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborStatus {
    /// The credentials that the operator has generated anew, or is about to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub rotations: Vec<RotationStatus>,

    /// What every kind reports.
    #[serde(flatten)]
    pub common: ComponentStatus,
}
