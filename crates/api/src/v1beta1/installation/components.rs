//! Settings of each component of an installation.

use crate::v1beta1::{
    certificates::CertificateInjection,
    component::{ComponentSpec, ServiceAnnotations},
    core::CoreSettingsSpec,
    defaults::{int, on},
    duration::GoDuration,
    exporter::ExporterEndpointSpec,
    jobservice::JobServiceSettingsSpec,
    metrics::MetricsSpec,
    name::ObjectName,
    postgres::ConnectionLifetimeSpec,
    registry::{RegistryMiddlewareSpec, storage::RegistryUploadPurgingSpec},
    trivy::{TrivySeverity, TrivySourcesSpec, TrivyVulnerabilityType},
    volume::PersistentVolumeSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Core, the API server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborCoreSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Annotations of the Service.
    #[serde(flatten)]
    pub service: ServiceAnnotations,

    /// Secret whose `ca.crt` users may download, where something in front of Harbor serves them with a certificate that the
    /// operator does not know. That of `expose.core.tls` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_certificate_ref: Option<ObjectName>,

    /// cert-manager issuer of the key that signs tokens. The operator makes the key itself unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_issuer: Option<IssuerReference>,

    /// TLS Secret whose `tls.key` signs tokens, RSA in PKCS#1. Made by `tokenIssuer` or the operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_certificate_ref: Option<ObjectName>,

    /// Secret whose key `secret` encrypts secrets in the database: 16, 24 or 32 characters. Made by the operator unless
    /// set. Must never change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encryption_key_ref: Option<ObjectName>,

    /// Secret whose key `key` protects forms against cross-site requests: 32 characters. Made by the operator unless
    /// set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csrf_key_ref: Option<ObjectName>,

    /// Secret whose key `secret` other components authenticate to Core with. Made by the operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<ObjectName>,

    /// Most database connections one pod keeps open while unused. Defaults to 50.
    #[serde(default = "int::<50>")]
    #[schemars(range(min = 0))]
    pub max_idle_connections: i32,

    /// Most database connections one pod has open at once. Defaults to 1000.
    #[serde(default = "int::<1000>")]
    #[schemars(range(min = 0))]
    pub max_open_connections: i32,

    /// How long connections to the database live.
    #[serde(flatten)]
    pub lifetime: ConnectionLifetimeSpec,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,

    /// Further settings.
    #[serde(flatten)]
    pub settings: CoreSettingsSpec,
}

/// An issuer of cert-manager.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuerReference {
    /// Name of the issuer.
    pub name: String,

    /// Kind of the issuer: Issuer or ClusterIssuer. Issuer unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,

    /// API group of the issuer. cert-manager.io unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// JobService, which runs background jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborJobServiceSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Most jobs one pod runs at once. Defaults to 10.
    #[serde(default = "int::<10>")]
    #[schemars(range(min = 1))]
    pub worker_count: i32,

    /// Secret whose key `secret` JobService authenticates with. Made by the operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<ObjectName>,

    /// Where the logs of jobs go: file, database, stdout. Files unless set; choose database for several pods, since only
    /// a pod itself can read its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub job_loggers: Vec<JobLoggerKind>,

    /// Days the logs of jobs are kept. 14 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub logger_sweeper_days: Option<i32>,

    /// Working files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<HarborJobServiceStorageSpec>,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,

    /// Further settings.
    #[serde(flatten)]
    pub settings: JobServiceSettingsSpec,
}

/// Working files of JobService.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborJobServiceStorageSpec {
    /// Files of exported scan results, until they are downloaded. A scratch directory unless set. Only for Harbor 2.6 and
    /// 2.7: it has no effect on earlier ones, and is refused for later ones, which keep exports in the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_data_exports_persistent_volume: Option<PersistentVolumeSpec>,

    /// Files of job logs. A scratch directory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_logs_persistent_volume: Option<PersistentVolumeSpec>,
}

/// Where the logs of jobs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobLoggerKind {
    /// To files.
    File,
    /// To the database.
    Database,
    /// To standard output; then they cannot be read in Harbor's pages.
    Stdout,
}

/// The registry, which stores images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborRegistrySpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Whether Location headers are relative. Defaults to true.
    #[serde(default = "on", rename = "relativeURLs")]
    pub relative_urls: bool,

    /// Middlewares of the storage, such as a content delivery network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub storage_middlewares: Vec<RegistryMiddlewareSpec>,

    /// Secret whose key `REGISTRY_HTTP_SECRET` protects uploads that go through several pods. Made by the operator unless
    /// set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_secret_ref: Option<ObjectName>,

    /// Secret Core and JobService log in to the registry with: `username` is the user, `harbor_registry_user` if the key
    /// is missing; `secret` is the password, and `htpasswd` both as a line with a bcrypt hash. Made by the operator unless
    /// set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_ref: Option<ObjectName>,

    /// Removal of unfinished uploads. By default every day, if they are older than a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_purging: Option<RegistryUploadPurgingSpec>,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,
}

/// The portal, the web pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborPortalSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Annotations of the Service.
    #[serde(flatten)]
    pub service: ServiceAnnotations,
}

/// Trivy, which scans images.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborTrivySpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Working files; may be empty.
    pub storage: HarborTrivyStorageSpec,

    /// Whether the vulnerability database is never downloaded. Defaults to false.
    #[serde(default)]
    pub skip_update: bool,

    /// Whether scans do without requests to the internet. Defaults to false.
    #[serde(default)]
    pub offline_scan: bool,

    /// Secret whose key `github-token` holds a GitHub token, for a higher download limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github_token_ref: Option<String>,

    /// Severities that are reported. All unless set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<TrivySeverity>,

    /// What Trivy scans: os, library. Both by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vulnerability_types: Vec<TrivyVulnerabilityType>,

    /// Whether vulnerabilities without a remedy are left out. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_unfixed: Option<bool>,

    /// Whether certificates of registries are not checked. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,

    /// How long one scan may take. 5m0s unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<GoDuration>,

    /// Whether scans report what they do in detail. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug_mode: Option<bool>,

    /// Sources of databases, and what Trivy scans for.
    #[serde(flatten)]
    pub sources: TrivySourcesSpec,
}

/// Working files of Trivy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborTrivyStorageSpec {
    /// The vulnerability database. A scratch directory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_persistent_volume: Option<PersistentVolumeSpec>,

    /// Reports, until Core has read them. A scratch directory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports_persistent_volume: Option<PersistentVolumeSpec>,
}

/// The exporter of metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborExporterSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Where metrics are served, and how long they are cached.
    #[serde(flatten)]
    pub endpoint: ExporterEndpointSpec,
}

/// ChartMuseum, which stores charts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborChartMuseumSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Whether chart indexes hold absolute URLs. Defaults to false.
    #[serde(default)]
    pub absolute_url: bool,
}

/// Notary, which stores signatures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborNotarySpec {
    /// Pod settings of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ComponentSpec>,

    /// Pod settings of the signer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<ComponentSpec>,

    /// Whether the database schemas are brought up to date at start. Defaults to true.
    #[serde(default = "on")]
    pub migration_enabled: bool,
}

default_is_the_empty_object!(
    HarborCoreSpec,
    HarborJobServiceSpec,
    HarborRegistrySpec,
    HarborExporterSpec,
    HarborNotarySpec
);
