//! Core: Harbor's API server.

pub mod components;
pub mod settings;

pub use self::{
    components::CoreComponentsSpec,
    settings::{CacheLayerSpec, CoreSettingsSpec},
};

use super::{
    certificates::CertificateInjection,
    component::{ComponentSpec, ServiceAnnotations},
    defaults::on,
    duration::{GoDuration, seconds},
    installation::DeletionPolicy,
    metrics::MetricsSpec,
    name::ObjectName,
    network::Network,
    postgres::CoreDatabaseSpec,
    proxy::ProxySpec,
    redis::RedisConnection,
    status::ComponentStatus,
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

    /// Annotations of the Service.
    #[serde(flatten)]
    pub service: ServiceAnnotations,

    /// URL under which users reach Harbor.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub external_endpoint: String,

    /// Where the other components are.
    pub components: CoreComponentsSpec,

    /// The database.
    pub database: CoreDatabaseSpec,

    /// The Redis database for sessions and caches.
    pub redis: CoreRedisSpec,

    /// Secret whose key `secret` holds the administrator's password. When that changes, the operator changes it in Harbor.
    pub admin_initial_password_ref: ObjectName,

    /// Key of that Secret, where it is not `secret`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._a-zA-Z0-9]+$"))]
    pub admin_initial_password_key: Option<String>,

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

    /// Has no effect: since Harbor 2.5 Core decides itself how long it caches its configuration. Defaults to 5s.
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

    /// The cache layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_layer: Option<CacheLayerSpec>,

    /// Whether the record of the database is kept when the Core is deleted. Retain by default. With Delete, the operator
    /// does not check the encryption key of a Core that is created later for the same database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<DeletionPolicy>,

    /// Further settings.
    #[serde(flatten)]
    pub settings: CoreSettingsSpec,
}

/// How users log in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AuthMode {
    /// With accounts in Harbor's database.
    #[default]
    #[serde(rename = "db_auth")]
    Database,
}

impl AuthMode {
    /// The value as Core spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Database => "db_auth",
        }
    }
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

    /// Index of a database of its own for everything but sessions. Harbor 2.9 and later; `database` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub harbor_database: Option<i32>,
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
    /// Least severe messages that are logged. Defaults to info; debug is taken for info, since at debug Core prints
    /// the password of Redis and the ID tokens of users.
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

impl CoreLogLevel {
    /// The value as Core spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

default_is_the_empty_object!(CoreHttpSpec, CoreLogSpec);
