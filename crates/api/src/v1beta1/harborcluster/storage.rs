//! The storage of a HarborCluster.

use crate::v1beta1::{
    defaults::on,
    expose::HarborExposeComponentSpec,
    harbor::storage::{FilesystemSpec, ObjectStoreSpec},
    image::ImageSpec,
    name::ObjectName,
};
use k8s_openapi::{
    api::core::v1::{PersistentVolumeClaimSpec, PersistentVolumeClaimStatus, ResourceRequirements},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where images and charts are stored: a store that exists, or one the operator runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.kind != 'MinIO' || has(self.spec.minIO)")
    .message("spec.minIO: is required for kind MinIO; set its replicas and volumesPerServer"))]
#[x_kube(validation = Rule::new("self.kind != 'S3' || has(self.spec.s3)")
    .message("spec.s3: is required for kind S3; set its region and bucket"))]
#[x_kube(validation = Rule::new("self.kind != 'Swift' || has(self.spec.swift)")
    .message("spec.swift: is required for kind Swift; set its authurl and container"))]
#[x_kube(validation = Rule::new("self.kind != 'FileSystem' || has(self.spec.fileSystem)")
    .message("spec.fileSystem: is required for kind FileSystem; set its registryPersistentVolume"))]
#[x_kube(validation = Rule::new("self.kind != 'Azure' || has(self.spec.azure)")
    .message("spec.azure: is required for kind Azure; set its accountname and container"))]
#[x_kube(validation = Rule::new("self.kind != 'Gcs' || has(self.spec.gcs)")
    .message("spec.gcs: is required for kind Gcs; set its bucket"))]
#[x_kube(validation = Rule::new("self.kind != 'Oss' || has(self.spec.oss)")
    .message("spec.oss: is required for kind Oss; set its region and bucket"))]
#[x_kube(validation = Rule::new(
        "self.kind != 'MinIO' || !has(self.spec.minIO) \
         || self.spec.minIO.replicas * self.spec.minIO.volumesPerServer >= 4")
    .message("spec.minIO: replicas times volumesPerServer must be at least 4; raise one of them"))]
#[x_kube(validation = Rule::new(
        "self.kind != 'MinIO' || !has(self.spec.redirect) || !self.spec.redirect.enable \
         || (has(self.spec.redirect.expose) && has(self.spec.redirect.expose.ingress))")
    .message("spec.redirect.expose.ingress: is required while redirect is enabled; set its host or redirect.enable: false"))]
#[x_kube(validation = Rule::new(
        "self.kind != 'MinIO' || has(self.spec.redirect) || !has(self.spec.minIO) || !has(self.spec.minIO.redirect) \
         || !self.spec.minIO.redirect.enable \
         || (has(self.spec.minIO.redirect.expose) && has(self.spec.minIO.redirect.expose.ingress))")
    .message("spec.minIO.redirect.expose.ingress: is required while redirect is enabled; set its host or redirect.enable: false"))]
pub struct StorageSpec {
    /// Which store: MinIO for one the operator runs, any other for one that exists.
    pub kind: StorageKind,

    /// Settings of that kind.
    pub spec: StorageSettings,
}

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StorageKind {
    /// MinIO, run by the operator.
    MinIO,
    /// Amazon S3 or anything that speaks its protocol.
    S3,
    /// OpenStack Swift.
    Swift,
    /// Volumes.
    FileSystem,
    /// Azure Blob Storage.
    Azure,
    /// Google Cloud Storage.
    Gcs,
    /// Alibaba Cloud OSS.
    Oss,
}

impl StorageKind {
    /// The kind as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MinIO => "MinIO",
            Self::S3 => "S3",
            Self::Swift => "Swift",
            Self::FileSystem => "FileSystem",
            Self::Azure => "Azure",
            Self::Gcs => "Gcs",
            Self::Oss => "Oss",
        }
    }
}

/// Settings of the store; those of another kind are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageSettings {
    /// Settings of kind MinIO.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "minIO")]
    pub minio: Option<Box<MinioSpec>>,

    /// Settings of kind FileSystem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<FilesystemSpec>,

    /// Settings of the other kinds.
    #[serde(flatten)]
    pub object_store: ObjectStoreSpec,

    /// Whether clients are sent to the store itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<StorageRedirectSpec>,
}

/// Whether clients are sent to the store itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageRedirectSpec {
    /// True sends clients to the store, false serves blobs through the registry. Defaults to true.
    // Required and defaulted at once, since ever: the server fills it in before it checks.
    #[serde(default = "on")]
    #[schemars(!default, extend("default" = true))]
    pub enable: bool,

    /// How clients reach a MinIO from outside the cluster. Required for MinIO while redirect is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expose: Option<HarborExposeComponentSpec>,
}

/// A MinIO the operator runs, with the MinIO operator 4.4.2 or newer. That one runs a single MinIO in each namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MinioSpec {
    /// The image. Of the image pull secrets, the first one is used. Unless set, a MinIO keeps the image it runs, and a
    /// new one gets that of the MinIO operator.
    #[serde(flatten)]
    pub image: ImageSpec,

    /// Version of the MinIO operator this was written for. For information; has no effect. Defaults to 4.0.6.
    #[serde(default = "minio_operator")]
    #[schemars(!default, extend("default" = "4.0.6"))]
    pub operator_version: String,

    /// Number of servers. MinIO cannot change it later.
    #[schemars(range(min = 1))]
    pub replicas: i32,

    /// Number of volumes of each server. Times `replicas`, it must be at least 4. MinIO cannot change it later.
    #[schemars(range(min = 1))]
    pub volumes_per_server: i32,

    /// Template of the volumes. 10Gi of the cluster's default class unless set. Volumes can grow, with the MinIO operator
    /// 6 or newer and a class that lets them, but never shrink. Its `apiVersion`, `kind` and `status` have no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_claim_template: Option<VolumeClaimTemplate>,

    /// Compute resources of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Secret whose keys `accesskey` and `secretkey` are the credentials of MinIO. Generated unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<ObjectName>,

    /// Serves MinIO over TLS inside the cluster. The Secret must have `tls.crt`, `tls.key` and `ca.crt`. The certificate is for
    /// `minio-<name>.<namespace>.svc`, `minio.<namespace>.svc.cluster.local` and
    /// `*.minio-<name>-hl.<namespace>.svc.cluster.local`, and the MinIO operator must trust its authority: put `ca.crt` into
    /// a Secret `operator-ca-tls-…` in the namespace of that operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<MinioTlsSpec>,

    /// Has no effect: the MinIO operator creates the bucket itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mc: Option<ImageSpec>,

    /// Deprecated: use redirect of the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<StorageRedirectSpec>,
}

/// TLS of a MinIO.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MinioTlsSpec {
    /// Secret with the certificate.
    pub certificate_ref: ObjectName,
}

fn minio_operator() -> String {
    "4.0.6".to_owned()
}

/// Template of a PersistentVolumeClaim.
// A claim without fixed apiVersion and kind: the old schema let both be anything, or absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeClaimTemplate {
    /// Version of the claim. Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,

    /// Kind of the claim. Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,

    /// Labels and annotations of the claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<ObjectMeta>,

    /// What the claims ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<PersistentVolumeClaimSpec>,

    /// Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<PersistentVolumeClaimStatus>,
}
