//! Where the registry stores images.

use crate::v1beta1::{
    defaults::{int, on},
    duration::{GoDuration, hours},
    storage::{AzureSpec, GcsSpec, OssSpec, RedirectDisable, S3Spec, SwiftSpec},
    volume::VolumeSource,
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the registry stores images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryStorageSpec {
    /// The store: exactly one.
    pub driver: RegistryStorageDriverSpec,

    /// Further options of the store, as the registry's configuration file names them, such as `useragent` of s3. They
    /// win over what follows from the fields above. Not for secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub driver_options: BTreeMap<String, String>,

    /// The cache of blob descriptors. In memory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<RegistryStorageCacheSpec>,

    /// Deleting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<RegistryStorageDeleteSpec>,

    /// Whether clients are sent to the store itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<RedirectDisable>,

    /// Maintenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<RegistryMaintenanceSpec>,
}

/// The store: exactly one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "[has(self.s3), has(self.swift), has(self.azure), has(self.gcs), has(self.oss), has(self.filesystem), \
         has(self.inmemory)].filter(set, set).size() == 1")
    .message("exactly one of s3, swift, azure, gcs, oss, filesystem or inmemory is required; keep the one in use"))]
pub struct RegistryStorageDriverSpec {
    /// A volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<RegistryFilesystemSpec>,

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

    /// Memory, which forgets. For tests.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "inmemory")]
    pub in_memory: Option<RegistryInMemorySpec>,
}

/// A volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryFilesystemSpec {
    /// The volume. A volume that leads to the node or holds a token of a ServiceAccount is refused unless the
    /// operator runs with `--allow-privileged-pods`.
    pub volume_source: VolumeSource,

    /// Directory within the volume. Its root unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,

    /// Most file operations at once. At least 25, defaults to 100.
    #[serde(default = "int::<100>", rename = "maxthreads")]
    #[schemars(range(min = 25))]
    pub max_threads: i32,
}

/// Memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryInMemorySpec {}

/// The cache of blob descriptors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryStorageCacheSpec {
    /// Where the cache is.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "blobdescriptor")]
    #[schemars(with = "BlobDescriptorCache")]
    pub blob_descriptor: Option<BlobDescriptorCache>,
}

/// Where blob descriptors are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlobDescriptorCache {
    /// In the memory of each pod.
    InMemory,
    /// In Redis.
    Redis,
}

impl BlobDescriptorCache {
    /// The value as the registry spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InMemory => "inmemory",
            Self::Redis => "redis",
        }
    }
}

/// Deleting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryStorageDeleteSpec {
    /// Whether images can be deleted. Defaults to true.
    #[serde(default = "on")]
    pub enabled: bool,
}

/// Maintenance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryMaintenanceSpec {
    /// Removal of unfinished uploads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_purging: Option<RegistryUploadPurgingSpec>,

    /// Read-only mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<RegistryReadOnlySpec>,
}

/// Removal of unfinished uploads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryUploadPurgingSpec {
    /// Whether they are removed. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// How old an upload must be. Defaults to 168h.
    #[serde(default = "hours::<168>")]
    pub age: GoDuration,

    /// Time between removals. Defaults to 24h.
    #[serde(default = "hours::<24>")]
    pub interval: GoDuration,

    /// Whether removals are only logged. Defaults to false.
    #[serde(default)]
    pub dry_run: bool,
}

/// Read-only mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryReadOnlySpec {
    /// Whether pushes are refused. Defaults to false.
    #[serde(default)]
    pub enabled: bool,
}

default_is_the_empty_object!(RegistryStorageDeleteSpec, RegistryUploadPurgingSpec);
