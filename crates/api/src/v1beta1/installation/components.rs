//! Settings of each component of an installation.

use crate::v1beta1::{
    certificates::CertificateInjection,
    component::ComponentSpec,
    defaults::{int, on},
    exporter::ExporterEndpointSpec,
    metrics::MetricsSpec,
    registry::RegistryMiddlewareSpec,
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

    /// cert-manager issuer of the key that signs tokens.
    pub token_issuer: IssuerReference,

    /// Most database connections one pod keeps open while unused. Defaults to 50.
    #[serde(default = "int::<50>")]
    #[schemars(range(min = 0))]
    pub max_idle_connections: i32,

    /// Most database connections one pod has open at once. Defaults to 1000.
    #[serde(default = "int::<1000>")]
    #[schemars(range(min = 0))]
    pub max_open_connections: i32,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,
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

    /// Working files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<HarborJobServiceStorageSpec>,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,
}

/// Working files of JobService.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborJobServiceStorageSpec {
    /// Files of exported scan results, until they are downloaded. A scratch directory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_data_exports_persistent_volume: Option<PersistentVolumeSpec>,
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

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,
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

default_is_the_empty_object!(HarborJobServiceSpec, HarborRegistrySpec, HarborExporterSpec, HarborNotarySpec);
