//! Exporter: Harbor's metrics for Prometheus.

use super::{
    certificates::CertificateInjection,
    component::ComponentSpec,
    defaults::int,
    duration::{GoDuration, hours, seconds},
    metrics::metrics_path,
    network::Network,
    postgres::CoreDatabaseSpec,
    redis::JobServiceRedisPool,
    service_monitor::ServiceMonitorSpec,
    status::ComponentStatus,
    tls::ComponentsTlsSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Harbor's metrics for Prometheus, read from its database, queue and API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "Exporter",
    doc = "Harbor's metrics for Prometheus. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "exporters",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 54")
        .message("metadata.name: at most 54 characters, so that the Service <name>-exporter fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct ExporterSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Core.
    pub core: ExporterCoreSpec,

    /// Core's database. Its `encryptionKeyRef` has no effect: the exporter reads nothing that is encrypted.
    pub database: CoreDatabaseSpec,

    /// JobService's queue. Must be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobservice: Option<ExporterJobServiceSpec>,

    /// Where metrics are served, and how long they are cached.
    #[serde(flatten)]
    pub endpoint: ExporterEndpointSpec,

    /// Logging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<ExporterLogSpec>,

    /// TLS towards Core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// The endpoint of the exporter, as ExporterSpec and Harbor's `exporter` share it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExporterEndpointSpec {
    /// Port metrics are served on. Defaults to 8001.
    #[serde(default = "int::<8001>")]
    #[schemars(range(min = 1))]
    pub port: i32,

    /// Path metrics are served under. Defaults to `/metrics`.
    #[serde(default = "metrics_path")]
    #[schemars(regex(pattern = "^/.+$"))]
    pub path: String,

    /// How long metrics are cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<ExporterCacheSpec>,

    /// Creates a ServiceMonitor, by which the Prometheus operator finds the metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_monitor: Option<ServiceMonitorSpec>,
}

/// How long the exporter caches metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExporterCacheSpec {
    /// How long a metric is served before it is read again. Defaults to 30s.
    #[serde(default = "seconds::<30>")]
    pub duration: GoDuration,

    /// How often outdated metrics are dropped. Defaults to 4h.
    #[serde(default = "hours::<4>")]
    pub clean_interval: GoDuration,
}

/// Core, seen from the exporter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExporterCoreSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,
}

/// JobService's queue, seen from the exporter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExporterJobServiceSpec {
    /// The Redis database of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_pool: Option<JobServiceRedisPool>,
}

/// Logging of the exporter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExporterLogSpec {
    /// Least severe messages that are logged. Defaults to info; debug is taken for info while Redis has a password, since
    /// with it Harbor prints that.
    #[serde(default)]
    pub level: ExporterLogLevel,
}

default_is_the_empty_object!(ExporterEndpointSpec, ExporterCacheSpec, ExporterLogSpec);

/// Severity of the exporter's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExporterLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
    /// What ends the process.
    Panic,
}
