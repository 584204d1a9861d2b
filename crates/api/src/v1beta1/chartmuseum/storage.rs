//! Where charts are stored.

use crate::v1beta1::{name::ObjectName, storage::AzureSpec, volume::VolumeSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where charts are stored: one of the stores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumStorageSpec {
    /// Amazon S3 or anything that speaks its protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amazon: Option<ChartMuseumAmazonSpec>,

    /// Azure Blob Storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azure: Option<AzureSpec>,

    /// A volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<ChartMuseumFilesystemSpec>,

    /// Google Cloud Storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gcs: Option<ChartMuseumGcsSpec>,

    /// OpenStack Swift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openstack: Option<ChartMuseumOpenstackSpec>,

    /// Alibaba Cloud OSS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oss: Option<ChartMuseumOssSpec>,

    /// Most charts of a repository. No limit unless set, or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub max_storage_object: Option<i64>,
}

/// Amazon S3 or anything that speaks its protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumAmazonSpec {
    /// Name of the bucket.
    pub bucket: String,

    /// URL of a service other than Amazon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,

    /// Prefix of every object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,

    /// Region of the bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,

    /// Access key.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accessKeyID")]
    pub access_key_id: Option<String>,

    /// Secret whose key `accesskey` holds the access key, instead of `accessKeyID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_key_ref: Option<ObjectName>,

    /// Secret whose key `secret` holds the secret key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_secret_ref: Option<ObjectName>,

    /// How the service encrypts objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_side_encryption: Option<String>,
}

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumFilesystemSpec {
    /// The volume. A volume that leads to the node or holds a token of a ServiceAccount is refused unless the
    /// operator runs with `--allow-privileged-pods`.
    pub volume_source: VolumeSource,

    /// Directory within the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// Google Cloud Storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumGcsSpec {
    /// Name of the bucket.
    pub bucket: String,

    /// Secret whose key `GCS_KEY_DATA` holds the service account's key file.
    pub key_data_secret_ref: String,

    /// Prefix of every object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,

    /// Has no effect: ChartMuseum has no such setting.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "chunksize")]
    pub chunk_size: Option<String>,
}

/// OpenStack Swift.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumOpenstackSpec {
    /// URL tokens come from.
    #[serde(rename = "authenticationURL")]
    pub authentication_url: String,

    /// Name of the container.
    pub container: String,

    /// Name of the user's domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,

    /// Id of the user's domain.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "domainID")]
    pub domain_id: Option<String>,

    /// User to log in as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,

    /// Id of the user to log in as, unless `username` is set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "userid")]
    pub user_id: Option<String>,

    /// Secret whose key `secret` holds the password of that user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_ref: Option<ObjectName>,

    /// Prefix of every object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,

    /// Region of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,

    /// Name of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,

    /// Id of the tenant, unless `tenant` is set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "tenantID")]
    pub tenant_id: Option<String>,
}

/// Alibaba Cloud OSS.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumOssSpec {
    /// Name of the bucket.
    pub bucket: String,

    /// Domain of the service.
    pub endpoint: String,

    /// Access key id.
    #[serde(rename = "accessKeyID")]
    pub access_key_id: String,

    /// Secret whose key `secret` holds the access key secret.
    pub access_secret_ref: String,

    /// Prefix of every object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,
}
