//! Object stores the registry can keep images in.

use super::{defaults::on, name::ObjectName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Amazon S3 or anything that speaks its protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct S3Spec {
    /// Region of the bucket.
    pub region: String,

    /// Name of the bucket.
    pub bucket: String,

    /// Access key. Credentials of the environment are used unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accesskey")]
    pub access_key: Option<String>,

    /// Secret whose key `accesskey` holds the access key, instead of `accesskey`.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accesskeyRef")]
    pub access_key_ref: Option<ObjectName>,

    /// Secret whose key `secret` holds the secret key.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "secretkeyRef")]
    pub secret_key_ref: Option<ObjectName>,

    /// URL of a service other than Amazon's.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "regionendpoint")]
    pub region_endpoint: Option<String>,

    /// Prefix of every object. None unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "rootdirectory")]
    pub root_directory: Option<String>,

    /// Storage class of objects. Defaults to STANDARD.
    #[serde(default = "standard", rename = "storageclass")]
    pub storage_class: String,

    /// KMS key that encrypts objects.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "keyid")]
    pub key_id: Option<String>,

    /// Whether the service encrypts objects. Defaults to false.
    #[serde(default)]
    pub encrypt: bool,

    /// Whether certificate checks are skipped. Defaults to false.
    #[serde(default, rename = "skipverify")]
    pub skip_verify: bool,

    /// Whether the service is reached over TLS. Defaults to true.
    #[serde(default = "on")]
    pub secure: bool,

    /// Whether requests are signed with version 4. Defaults to true.
    #[serde(default = "on", rename = "v4auth")]
    pub v4_auth: bool,

    /// Secret whose `ca.crt` signs the service's certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_ref: Option<ObjectName>,

    /// Size of upload parts in bytes, at least 5242880.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "chunksize")]
    #[schemars(range(min = 5_242_880))]
    pub chunk_size: Option<i64>,

    /// Size in bytes of the parts a large object is copied in.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "multipartcopychunksize")]
    pub multipart_copy_chunk_size: Option<i64>,

    /// Most parts copied at once.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "multipartcopymaxconcurrency")]
    pub multipart_copy_max_concurrency: Option<i64>,

    /// Size in bytes from which objects are copied in parts.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "multipartcopythresholdsize")]
    pub multipart_copy_threshold_size: Option<i64>,
}

impl S3Spec {
    /// A bucket about which nothing else is said.
    pub fn new(region: impl Into<String>, bucket: impl Into<String>) -> Self {
        Self {
            region: region.into(),
            bucket: bucket.into(),
            access_key: None,
            access_key_ref: None,
            secret_key_ref: None,
            region_endpoint: None,
            root_directory: None,
            storage_class: standard(),
            key_id: None,
            encrypt: false,
            skip_verify: false,
            secure: true,
            v4_auth: true,
            certificate_ref: None,
            chunk_size: None,
            multipart_copy_chunk_size: None,
            multipart_copy_max_concurrency: None,
            multipart_copy_threshold_size: None,
        }
    }
}

fn standard() -> String {
    "STANDARD".to_owned()
}

/// OpenStack Swift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwiftSpec {
    /// URL tokens come from.
    #[serde(rename = "authurl")]
    pub auth_url: String,

    /// Name of the container.
    pub container: String,

    /// User to log in as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,

    /// Secret whose key `secret` holds the password of that user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_ref: Option<ObjectName>,

    /// Region of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,

    /// Name of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,

    /// Id of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "tenantID")]
    pub tenant_id: Option<String>,

    /// Name of the user's domain, for Identity v3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,

    /// Id of the user's domain, for Identity v3.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "domainID")]
    pub domain_id: Option<String>,

    /// Id of the trust, for Identity v3.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "trustid")]
    pub trust_id: Option<String>,

    /// Prefix of every object. None unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,

    /// Access key for temporary URLs.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accesskey")]
    pub access_key: Option<String>,

    /// Secret whose key `accesskey` holds the access key for temporary URLs, instead of `accesskey`.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accesskeyRef")]
    pub access_key_ref: Option<ObjectName>,

    /// Secret whose key `secret` holds the secret key for temporary URLs.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "secretkeyRef")]
    pub secret_key_ref: Option<ObjectName>,

    /// Version of the Identity API. Found out unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "authversion")]
    pub auth_version: Option<String>,

    /// Whether certificate checks are skipped. Defaults to false.
    #[serde(default, rename = "insecureskipverify")]
    pub insecure_skip_verify: bool,

    /// Size of segments in bytes, at least 5242880.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "chunksize")]
    #[schemars(range(min = 5_242_880))]
    pub chunk_size: Option<i64>,

    /// Which of the service's endpoints is used. Defaults to public.
    #[serde(default, rename = "endpointtype")]
    pub endpoint_type: SwiftEndpointType,
}

/// An endpoint of a Swift service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SwiftEndpointType {
    /// For everyone.
    #[default]
    Public,
    /// For services in the same cloud.
    Internal,
    /// For administrators.
    Admin,
}

impl SwiftEndpointType {
    /// The value as the registry spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Internal => "internal",
            Self::Admin => "admin",
        }
    }
}

/// Azure Blob Storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureSpec {
    /// Name of the storage account.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accountname")]
    pub account_name: Option<String>,

    /// Secret whose key `secret` holds the key of that account.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "accountkeyRef")]
    pub account_key_ref: Option<String>,

    /// Name of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,

    /// Domain of the service. Defaults to core.windows.net.
    #[serde(default = "azure_cloud", rename = "baseURL")]
    pub base_url: String,

    /// Prefix of charts; has no effect on images. Defaults to /azure/harbor/charts.
    #[serde(default = "azure_charts")]
    pub path_prefix: String,
}

default_is_the_empty_object!(AzureSpec);

fn azure_cloud() -> String {
    "core.windows.net".to_owned()
}

fn azure_charts() -> String {
    "/azure/harbor/charts".to_owned()
}

/// Google Cloud Storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcsSpec {
    /// Secret whose key `GCS_KEY_DATA` holds the service account's key file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_data_ref: Option<String>,

    /// Name of the bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,

    /// Prefix of every object. None unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,

    /// Size of upload parts in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_size: Option<String>,
}

/// Alibaba Cloud OSS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OssSpec {
    /// Region of the bucket, such as `oss-eu-central-1`.
    #[schemars(regex(pattern = "^oss-.*$"))]
    pub region: String,

    /// Name of the bucket.
    pub bucket: String,

    /// Access key id.
    #[serde(rename = "accessKeyID")]
    pub access_key_id: String,

    /// Secret whose key `secret` holds the access key secret.
    pub access_secret_ref: String,

    /// Domain of the service. Follows from the region unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,

    /// Whether the service is reached through Alibaba's internal network. Defaults to false.
    #[serde(default)]
    pub internal: bool,

    /// Whether the service encrypts objects. Defaults to false.
    #[serde(default)]
    pub encrypt: bool,

    /// Whether the service is reached over TLS. Defaults to true.
    #[serde(default = "on")]
    pub secure: bool,

    /// Size of upload parts in bytes, at least 5242880.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "chunksize")]
    #[schemars(range(min = 5_242_880))]
    pub chunk_size: Option<i64>,

    /// Prefix of every object. None unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,
}

/// Whether clients are sent to the store itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedirectDisable {
    /// True serves blobs through the registry instead of sending clients to the store. Defaults to false.
    #[serde(default)]
    pub disable: bool,
}
