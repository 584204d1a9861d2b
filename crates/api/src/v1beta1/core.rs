//! Core: Harbor's API server.

use super::{
    certificates::CertificateInjection,
    component::ComponentSpec,
    defaults::on,
    duration::{GoDuration, seconds},
    metrics::MetricsSpec,
    name::ObjectName,
    network::Network,
    postgres::CoreDatabaseSpec,
    proxy::ProxySpec,
    redis::RedisConnection,
    registry_access::RegistryAccess,
    status::ComponentStatus,
    tls::ComponentsTlsSpec,
    trace::TraceSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Harbor's API server: projects, users, permissions, tokens and everything that ties components together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "Core",
    doc = "Harbor's API server. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "cores",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].status"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].reason"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = 1
    ),
    printcolumn(
        name = "Failure",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Failed\")].message",
        priority = 5
    ),
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 58")
        .message("metadata.name: at most 58 characters, so that the Service <name>-core fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct CoreSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// URL under which users reach Harbor.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub external_endpoint: String,

    /// Where the other components are.
    pub components: CoreComponentsSpec,

    /// The database.
    pub database: CoreDatabaseSpec,

    /// The Redis database for sessions and caches.
    pub redis: CoreRedisSpec,

    /// Secret whose key `secret` holds the administrator's first password.
    pub admin_initial_password_ref: ObjectName,

    /// Secret whose key `key` protects forms against cross-site requests. 32 characters.
    pub csrf_key_ref: ObjectName,

    /// Secret whose key `secret` other components authenticate to Core with.
    pub secret_ref: ObjectName,

    /// TLS Secret whose authority users may download from Harbor's pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_certificate_ref: Option<ObjectName>,

    /// How users log in until an administrator changes it. Only db_auth.
    #[serde(default)]
    pub auth_mode: AuthMode,

    /// How long Core caches its configuration. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub config_expiration: GoDuration,

    /// HTTP settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<CoreHttpSpec>,

    /// Logging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<CoreLogSpec>,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsSpec>,

    /// Tracing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSpec>,

    /// Outbound proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProxySpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// How users log in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AuthMode {
    /// With accounts in Harbor's database.
    #[default]
    #[serde(rename = "db_auth")]
    Database,
}

/// Where the components Core talks to are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreComponentsSpec {
    /// JobService.
    pub job_service: CoreJobServiceSpec,

    /// The portal.
    pub portal: CorePortalSpec,

    /// The registry and its controller.
    pub registry: CoreRegistrySpec,

    /// The token service.
    pub token_service: CoreTokenServiceSpec,

    /// ChartMuseum; its presence turns the chart repository on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart_repository: Option<CoreChartRepositorySpec>,

    /// Trivy; its presence turns vulnerability scans on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trivy: Option<CoreTrivySpec>,

    /// The Notary server; its presence turns content trust on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notary_server: Option<CoreNotaryServerSpec>,

    /// TLS of Core itself and towards the other components.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,
}

/// JobService, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreJobServiceSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub url: String,

    /// Secret whose key `secret` JobService authenticates with.
    pub secret_ref: ObjectName,
}

/// The portal, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorePortalSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub url: String,
}

/// The registry, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreRegistrySpec {
    /// Addresses and credentials.
    #[serde(flatten)]
    pub access: RegistryAccess,

    /// The Redis database of the registry's cache, which Core clears when blobs are deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RedisConnection>,

    /// Name of the storage driver the registry uses, for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub storage_provider_name: Option<String>,

    /// Whether Core compares its database with the registry at start. Defaults to false.
    #[serde(default)]
    pub sync: bool,
}

/// The token service, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreTokenServiceSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub url: String,

    /// TLS Secret whose `tls.key` signs tokens.
    pub certificate_ref: ObjectName,
}

/// ChartMuseum, seen from Core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreChartRepositorySpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub url: String,

    /// Whether chart indexes hold absolute URLs. Defaults to false.
    #[serde(default, rename = "absoluteURL")]
    pub absolute_url: bool,

    /// Where chart indexes are cached. Only redis.
    #[serde(default)]
    pub cache_driver: CacheDriver,
}

/// Where chart indexes are cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheDriver {
    /// In Redis.
    #[default]
    Redis,
}

/// Trivy, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreTrivySpec {
    /// URL of the scanner inside the cluster.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub url: String,

    /// URL of the adapter that speaks Harbor's scanner protocol.
    #[serde(rename = "adapterURL")]
    #[schemars(regex(pattern = r"https?://.+"))]
    pub adapter_url: String,
}

/// The Notary server, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreNotaryServerSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"https?://.+"))]
    pub url: String,
}

/// The Redis database of Core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreRedisSpec {
    /// The connection.
    #[serde(flatten)]
    pub connection: RedisConnection,

    /// How long an unused connection stays open. Defaults to 30s.
    #[serde(default = "seconds::<30>")]
    pub idle_timeout: GoDuration,
}

/// HTTP settings of Core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreHttpSpec {
    /// Whether responses are compressed. Defaults to true.
    #[serde(default = "on")]
    pub enable_gzip: bool,
}

/// Logging of Core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreLogSpec {
    /// Least severe messages that are logged. Defaults to info.
    #[serde(default)]
    pub level: CoreLogLevel,
}

/// Severity of Core's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CoreLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warn,
    /// What went wrong.
    Error,
}

default_is_the_empty_object!(CoreHttpSpec, CoreLogSpec);
