//! `minio.min.io/v2`: MinIO, run by its own operator.

use k8s_openapi::api::core::v1::{
    EnvVar, LocalObjectReference, PersistentVolumeClaimSpec, PodSecurityContext, ResourceRequirements,
    SecurityContext,
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a MinIO is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "minio.min.io",
    version = "v2",
    kind = "Tenant",
    plural = "tenants",
    namespaced,
    status = "TenantStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct TenantSpec {
    /// Sets of servers. What they hold is spread over all of them.
    #[serde(default)]
    pub pools: Vec<Pool>,

    /// Image: that of the MinIO operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,

    /// When nodes pull the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<String>,

    /// Secret with credentials for pulling the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_secret: Option<LocalObjectReference>,

    /// Secret whose key `config.env` holds the credentials, as variables of a shell. Since operator 4.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<LocalObjectReference>,

    /// Secret whose keys `accesskey` and `secretkey` are the credentials. Operators before 4.2 know nothing else, and
    /// those since 6.0 do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creds_secret: Option<LocalObjectReference>,

    /// Where volumes are mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount_path: Option<String>,

    /// Whether servers are started one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_management_policy: Option<String>,

    /// Whether servers get certificates that the cluster signs. True unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_auto_cert: Option<bool>,

    /// Secrets with certificates of the servers, of which the first is the default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_cert_secret: Vec<CertificateReference>,

    /// Environment of the servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvVar>,

    /// Buckets that are created before the tenant is said to be initialized. Since operator 4.4.2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
}

/// A Secret with a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateReference {
    /// Name.
    pub name: String,

    /// What its keys are called: `cert-manager.io/v1` for `tls.crt`, `tls.key` and `ca.crt`.
    #[serde(rename = "type")]
    pub type_: String,
}

/// A set of servers. Neither their number nor that of their volumes can change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    /// Name.
    #[serde(default)]
    pub name: String,

    /// Number of servers.
    pub servers: i32,

    /// Number of volumes of each server.
    pub volumes_per_server: i32,

    /// Template of the volumes.
    #[serde(default)]
    pub volume_claim_template: VolumeClaim,

    /// Compute resources of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Whom the pods run as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_context: Option<PodSecurityContext>,

    /// What the containers may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container_security_context: Option<SecurityContext>,
}

/// Template of claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeClaim {
    /// Name, labels and annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<VolumeClaimMetadata>,

    /// What is asked for.
    #[serde(default)]
    pub spec: PersistentVolumeClaimSpec,
}

/// Metadata of claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeClaimMetadata {
    /// Begins the name of every claim; the number of the volume follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,

    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,

    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bucket {
    /// Name.
    pub name: String,
}

/// What the MinIO operator reports of a tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantStatus {
    /// What it is doing, or what is wrong, in its words; `Initialized` is the one that matters.
    #[serde(default)]
    pub current_state: String,

    /// Servers that answer.
    #[serde(default)]
    pub available_replicas: i32,

    /// The state of each pool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<PoolStatus>,

    /// green, yellow or red.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_status: Option<String>,

    /// Why it is not green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_message: Option<String>,
}

/// What the MinIO operator reports of a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolStatus {
    /// Its StatefulSet.
    #[serde(default, rename = "ssName")]
    pub stateful_set: String,

    /// `PoolInitialized` is the one that matters.
    #[serde(default)]
    pub state: String,
}
