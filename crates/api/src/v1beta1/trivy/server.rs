//! The server Core calls.

use crate::v1beta1::{
    duration::{GoDuration, seconds},
    tls::ComponentsTlsSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The server Core calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyServerSpec {
    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// Secrets whose `ca.crt` signs the certificates of callers. Only with TLS. Harbor has no such certificate and
    /// cannot call any more; leave it empty for a Trivy that Harbor uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub client_certificate_authority_refs: Vec<String>,

    /// Secrets whose `ca.crt` signs the certificate of the token service. A Secret without `ca.crt` is passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_service_certificate_authority_refs: Vec<String>,

    /// How long a request may take to arrive. Defaults to 15s.
    #[serde(default = "seconds::<15>")]
    pub read_timeout: GoDuration,

    /// How long a response may take to leave. Defaults to 15s.
    #[serde(default = "seconds::<15>")]
    pub write_timeout: GoDuration,

    /// How long an unused connection stays open. Defaults to 60s.
    #[serde(default = "seconds::<60>")]
    pub idle_timeout: GoDuration,

    /// Whether Trivy reports what it does in detail. Defaults to false.
    #[serde(default)]
    pub debug_mode: bool,

    /// Whether vulnerabilities without a fix are left out. Defaults to false.
    #[serde(default)]
    pub ignore_unfixed: bool,

    /// Whether the registry's certificate is not checked. Defaults to false.
    #[serde(default)]
    pub insecure: bool,

    /// Outbound proxy, unless the spec has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<TrivyServerProxySpec>,
}

default_is_the_empty_object!(TrivyServerSpec);

/// A proxy for HTTP and HTTPS requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyServerProxySpec {
    /// URL of the proxy.
    #[serde(rename = "URL")]
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// Hosts that are reached directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_proxy: Vec<String>,
}
