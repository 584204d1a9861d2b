//! Where images and charts are stored.

use crate::v1beta1::{
    storage::{AzureSpec, GcsSpec, OssSpec, RedirectDisable, S3Spec, SwiftSpec},
    volume::{PersistentVolumeSpec, RegistryPersistentVolumeSpec},
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where images and charts are stored: exactly one store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "[has(self.s3), has(self.swift), has(self.azure), has(self.gcs), has(self.oss), has(self.filesystem)]\
         .filter(set, set).size() == 1")
    .message("imageChartStorage: exactly one of s3, swift, azure, gcs, oss or filesystem is required; keep the one in use"))]
pub struct HarborStorageSpec {
    /// Volumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<FilesystemSpec>,

    /// An object store.
    #[serde(flatten)]
    pub object_store: ObjectStoreSpec,

    /// Whether clients are sent to the store itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<RedirectDisable>,

    /// Further options of the store, as the registry's configuration file names them, such as `useragent` of s3. They
    /// win over what follows from the other fields. Not for secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub driver_options: BTreeMap<String, String>,
}

/// An object store; Harbor and HarborCluster share the choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectStoreSpec {
    /// Amazon S3 or anything that speaks its protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub s3: Option<S3Spec>,

    /// OpenStack Swift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swift: Option<SwiftSpec>,

    /// Azure Blob Storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azure: Option<AzureSpec>,

    /// Google Cloud Storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gcs: Option<GcsSpec>,

    /// Alibaba Cloud OSS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oss: Option<OssSpec>,
}

/// Volumes for images and charts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesystemSpec {
    /// Volume of images.
    pub registry_persistent_volume: RegistryPersistentVolumeSpec,

    /// Volume of charts. That of images unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart_persistent_volume: Option<PersistentVolumeSpec>,
}
