//! JobService: runs Harbor's background jobs.

pub mod loggers;
pub mod settings;

pub use self::{loggers::LoggersSpec, settings::JobServiceSettingsSpec};

use super::{
    certificates::CertificateInjection,
    component::{ComponentSpec, rolling_update},
    defaults::int,
    metrics::MetricsSpec,
    name::ObjectName,
    network::Network,
    proxy::ProxySpec,
    redis::{JobServiceRedisPool, RedisConnection},
    registry_access::{RegistryAccess, TokenServiceAccess},
    status::ComponentStatus,
    tls::ComponentsTlsSpec,
    trace::TraceSpec,
    volume::ScratchVolumeSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Harbor's background jobs: replication, scans, garbage collection, retention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "JobService",
    doc = "Harbor's background jobs. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "jobservices",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 52")
        .message("metadata.name: at most 52 characters, so that the Service <name>-jobservice fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Core.
    pub core: JobServiceCoreSpec,

    /// The registry and its controller.
    pub registry: RegistryAccess,

    /// The token service.
    pub token_service: TokenServiceAccess,

    /// Secret whose key `secret` JobService authenticates to other components with.
    pub secret_ref: ObjectName,

    /// Workers and their queue.
    pub worker_pool: WorkerPoolSpec,

    /// Where the logs of jobs go. Defaults to files kept for 30 days, and standard output.
    #[serde(default = "LoggersSpec::of_jobs")]
    pub job_loggers: LoggersSpec,

    /// Where the logs of JobService itself go. Defaults to standard output.
    #[serde(default = "LoggersSpec::of_the_service")]
    pub loggers: LoggersSpec,

    /// Working files. Scratch directories unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<JobServiceStorageSpec>,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,

    /// Tracing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSpec>,

    /// Outbound proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProxySpec>,

    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,

    /// How pods are replaced: RollingUpdate, or Recreate. Defaults to RollingUpdate. Pods that mount a claim which only
    /// one node can mount, such as one that is ReadWriteOnce, are always replaced by Recreate.
    #[serde(default = "rolling_update")]
    pub update_strategy_type: String,

    /// The cache layer; as Core has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_layer: Option<JobServiceCacheLayerSpec>,

    /// Further settings.
    #[serde(flatten)]
    pub settings: JobServiceSettingsSpec,
}

/// The cache layer, seen from JobService.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceCacheLayerSpec {
    /// Core's Redis database.
    pub redis: RedisConnection,

    /// Hours until an entry is forgotten. 24 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub expire_hours: Option<i32>,

    /// Index of a Redis database of its own. Core's unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub database: Option<i32>,
}

/// Core, seen from JobService.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceCoreSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// Secret whose key `secret` authenticates to Core.
    pub secret_ref: ObjectName,
}

/// Workers and their queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerPoolSpec {
    /// Most jobs one pod runs at once. Defaults to 10.
    #[serde(default = "int::<10>")]
    #[schemars(range(min = 1))]
    pub workers: i32,

    /// What the queue is kept in. Only redis.
    #[serde(default)]
    #[schemars(extend("minLength" = 1))]
    pub backend: WorkerPoolBackend,

    /// The Redis database of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_pool: Option<JobServiceRedisPool>,
}

default_is_the_empty_object!(WorkerPoolSpec);

/// What JobService's queue is kept in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkerPoolBackend {
    /// In Redis.
    #[default]
    Redis,
}

/// Working files of JobService.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceStorageSpec {
    /// Files of exported scan results, until they are downloaded. Only for Harbor 2.6 and 2.7: it has no effect on earlier
    /// ones, and is refused for later ones, which keep exports in the registry.
    pub scan_data_exports: ScratchVolumeSpec,
}
