//! ChartMuseum: Harbor's chart repository. For Harbor versions that still have one.

pub mod chart;
pub mod storage;

pub use self::{chart::ChartMuseumChartSpec, storage::ChartMuseumStorageSpec};

use super::{
    certificates::CertificateInjection,
    component::ComponentSpec,
    defaults::{long, on},
    duration::GoDuration,
    name::ObjectName,
    network::Network,
    redis::RedisConnection,
    status::ComponentStatus,
    tls::ComponentsTlsSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Harbor's repository of Helm charts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "ChartMuseum",
    doc = "Harbor's repository of Helm charts. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "chartmuseums",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 51")
        .message("metadata.name: at most 51 characters, so that the Service <name>-chartmuseum fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// Charts: how they are stored, indexed and uploaded.
    pub chart: ChartMuseumChartSpec,

    /// Authentication. None by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<ChartMuseumAuthenticationSpec>,

    /// Where indexes are cached. In memory unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<ChartMuseumCacheSpec>,

    /// Features that are off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable: Option<ChartMuseumDisableSpec>,

    /// Logging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<ChartMuseumLogSpec>,

    /// The HTTP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ChartMuseumServerSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// Authentication.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumAuthenticationSpec {
    /// Whether everyone may download. Defaults to false.
    #[serde(default)]
    pub anonymous_get: bool,

    /// Secret whose keys `username` and `password` callers log in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_auth_ref: Option<ObjectName>,

    /// Tokens callers log in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<ChartMuseumBearerSpec>,
}

/// Tokens ChartMuseum accepts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumBearerSpec {
    /// URL clients get tokens from.
    pub realm: String,

    /// Name tokens must be made out to.
    pub service: String,

    /// Secret with the certificate tokens are signed with.
    pub certificate_ref: ObjectName,
}

/// Where indexes are cached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumCacheSpec {
    /// A Redis database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RedisConnection>,
}

/// Features that are off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumDisableSpec {
    /// Whether the API for managing charts is off. Defaults to false.
    #[serde(default)]
    pub api: bool,

    /// Whether charts cannot be deleted. Defaults to false.
    #[serde(default)]
    pub delete: bool,

    /// Whether uploads cannot insist on replacing a chart. Defaults to false.
    #[serde(default)]
    pub force_overwrite: bool,

    /// Whether metrics are off. Defaults to false.
    #[serde(default)]
    pub metrics: bool,

    /// Whether no index file is kept in the storage. Defaults to false.
    #[serde(default, rename = "statefiles")]
    pub state_files: bool,
}

/// Logging of ChartMuseum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumLogSpec {
    /// Whether everything is logged. Defaults to false.
    #[serde(default)]
    pub debug: bool,

    /// Whether health checks are logged. Defaults to false.
    #[serde(default)]
    pub health: bool,

    /// Whether messages are JSON. Defaults to false.
    #[serde(default)]
    pub json: bool,

    /// Whether latencies are logged as whole nanoseconds. Defaults to true.
    #[serde(default = "on")]
    pub latency_integer: bool,
}

/// The HTTP server of ChartMuseum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartMuseumServerSpec {
    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// Size in bytes an upload may have. Defaults to 20971520.
    #[serde(default = "long::<20_971_520>")]
    #[schemars(range(min = 0))]
    pub max_upload_size: i64,

    /// Origin that scripts of other sites may call from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cors_allow_origin: Option<String>,

    /// How long a request may take to arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_timeout: Option<GoDuration>,

    /// How long a response may take to leave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_timeout: Option<GoDuration>,
}

default_is_the_empty_object!(ChartMuseumLogSpec, ChartMuseumServerSpec);
