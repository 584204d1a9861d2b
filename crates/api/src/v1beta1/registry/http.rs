//! The HTTP server of the registry.

use crate::v1beta1::{
    defaults::{int, on},
    duration::GoDuration,
    metrics::metrics_path,
    name::ObjectName,
    service_monitor::ServiceMonitorSpec,
    tls::ComponentsTlsSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The HTTP server of the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHttpSpec {
    /// URL clients reach the registry under, for absolute Location headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,

    /// Path the registry is served under, with slashes at both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^(/(.+/)?)?$"))]
    pub prefix: Option<String>,

    /// Whether Location headers are relative. Defaults to true.
    #[serde(default = "on", rename = "relativeURLs")]
    pub relative_urls: bool,

    /// Headers of every response. Defaults to `X-Content-Type-Options: nosniff`.
    #[serde(default = "no_sniffing")]
    pub headers: BTreeMap<String, Vec<String>>,

    /// Kind of socket. Defaults to tcp.
    #[serde(default)]
    pub net: RegistryHttpNet,

    /// Secret whose key `REGISTRY_HTTP_SECRET` signs state kept by clients. All pods must share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<ObjectName>,

    /// How long requests may finish when a pod stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_timeout: Option<GoDuration>,

    /// HTTP/2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http2: Option<RegistryHttp2Spec>,

    /// The debug server, which also serves metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug: Option<RegistryHttpDebugSpec>,

    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,
}

fn no_sniffing() -> BTreeMap<String, Vec<String>> {
    BTreeMap::from([("X-Content-Type-Options".to_owned(), vec!["nosniff".to_owned()])])
}

/// Kind of socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegistryHttpNet {
    /// A Unix socket.
    Unix,
    /// A TCP port.
    #[default]
    Tcp,
}

impl RegistryHttpNet {
    /// The value as the registry spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unix => "unix",
            Self::Tcp => "tcp",
        }
    }
}

/// HTTP/2.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHttp2Spec {
    /// Whether HTTP/2 is off. Defaults to false.
    #[serde(default)]
    pub disabled: bool,
}

/// The debug server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHttpDebugSpec {
    /// Port of the debug server. Defaults to 5001.
    #[serde(default = "int::<5001>")]
    #[schemars(extend("minimum" = 0, "exclusiveMinimum" = true))]
    pub port: i32,

    /// Metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<RegistryPrometheusSpec>,
}

/// Metrics of the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryPrometheusSpec {
    /// Whether metrics are served. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// Path metrics are served under. Defaults to `/metrics`.
    #[serde(default = "metrics_path")]
    pub path: String,

    /// Creates a ServiceMonitor, by which the Prometheus operator finds the metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_monitor: Option<ServiceMonitorSpec>,
}

default_is_the_empty_object!(RegistryHttpSpec, RegistryHttpDebugSpec, RegistryPrometheusSpec);
