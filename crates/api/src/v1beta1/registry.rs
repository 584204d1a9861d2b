//! Registry: stores and serves images.

pub mod auth;
pub mod health;
pub mod http;
pub mod log;
pub mod notifications;
pub mod storage;

use self::{
    auth::RegistryAuthenticationSpec, health::RegistryHealthSpec, http::RegistryHttpSpec,
    log::RegistryLogSpec, notifications::RegistryNotificationsSpec, storage::RegistryStorageSpec,
};
use super::{
    certificates::CertificateInjection,
    component::{ComponentSpec, rolling_update},
    defaults::int,
    duration::{GoDuration, seconds},
    name::ObjectName,
    network::Network,
    proxy::ProxySpec,
    redis::RedisConnection,
    status::ComponentStatus,
    trace::TraceSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Stores and serves images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "Registry",
    doc = "Stores and serves images. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "registries",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"),
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 51")
        .message("metadata.name: at most 51 characters, so that the Service <name>-registryctl fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct RegistrySpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Where images are stored.
    pub storage: RegistryStorageSpec,

    /// Logging. Defaults to plain text from level info on.
    #[serde(default)]
    pub log: RegistryLogSpec,

    /// The HTTP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<RegistryHttpSpec>,

    /// Authentication. None by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<RegistryAuthenticationSpec>,

    /// What the registry checks to be healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<RegistryHealthSpec>,

    /// Receivers of notifications about pushes and pulls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notifications: Option<RegistryNotificationsSpec>,

    /// The Redis database of the cache of blob descriptors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RegistryRedisSpec>,

    /// Middlewares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub middlewares: Option<RegistryMiddlewaresSpec>,

    /// Support for old clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<RegistryCompatibilitySpec>,

    /// Checks of pushed manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<RegistryValidationSpec>,

    /// Services errors are reported to: name of the service to name of the Secret with its options.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reporting: BTreeMap<String, String>,

    /// Tracing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSpec>,

    /// Outbound proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProxySpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,

    /// How pods are replaced: RollingUpdate, or Recreate. Defaults to RollingUpdate. Pods that mount a claim which only
    /// one node can mount, such as one that is ReadWriteOnce, are always replaced by Recreate.
    #[serde(default = "rolling_update")]
    pub update_strategy_type: String,
}

/// Middlewares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryMiddlewaresSpec {
    /// Middlewares of the registry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registry: Vec<RegistryMiddlewareSpec>,

    /// Middlewares of repositories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repository: Vec<RegistryMiddlewareSpec>,

    /// Middlewares of the storage, such as a content delivery network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub storage: Vec<RegistryMiddlewareSpec>,
}

/// One middleware.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryMiddlewareSpec {
    /// Name of the middleware.
    pub name: String,

    /// Secret whose keys are the options of the middleware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options_ref: Option<ObjectName>,
}

/// Support for old clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryCompatibilitySpec {
    /// Manifests after schema 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema1: Option<RegistrySchema1Spec>,
}

/// Manifests after schema 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrySchema1Spec {
    /// Whether they are served. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// TLS Secret whose `tls.key` signs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_ref: Option<ObjectName>,
}

/// Checks of pushed manifests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryValidationSpec {
    /// Whether nothing is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,

    /// Manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifests: Option<RegistryManifestValidationSpec>,
}

/// Checks of manifests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryManifestValidationSpec {
    /// URLs in manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urls: Option<RegistryManifestUrlsSpec>,
}

/// URLs manifests may contain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryManifestUrlsSpec {
    /// Regular expressions; a URL must match one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,

    /// Regular expressions; a URL must match none of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

/// The Redis database of the cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryRedisSpec {
    /// The connection.
    #[serde(flatten)]
    pub connection: RedisConnection,

    /// How long connecting may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dial_timeout: Option<GoDuration>,

    /// How long an answer may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_timeout: Option<GoDuration>,

    /// How long a command may take to leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_timeout: Option<GoDuration>,

    /// The pool of connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<RegistryRedisPoolSpec>,
}

/// The pool of connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryRedisPoolSpec {
    /// Most connections open at once. Defaults to 5.
    #[serde(default = "int::<5>")]
    #[schemars(range(min = 0))]
    pub max_active: i32,

    /// Most connections kept open while unused. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(range(min = 0))]
    pub max_idle: i32,

    /// How long an unused connection stays open. Defaults to 30s.
    #[serde(default = "seconds::<30>")]
    pub idle_timeout: GoDuration,
}

default_is_the_empty_object!(RegistryRedisPoolSpec);
