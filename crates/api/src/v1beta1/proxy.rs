//! Outbound HTTP proxies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The proxy a component uses for requests that leave the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxySpec {
    /// Proxy for HTTP requests, as a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub http_proxy: Option<String>,

    /// Proxy for HTTPS requests, as a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub https_proxy: Option<String>,

    /// Hosts and domain suffixes that are reached directly. Defaults to the local machine, `.local` and `.internal`.
    /// Components of the Harbor, and an object store that is a Service of the cluster, always are.
    #[serde(default = "local_hosts")]
    pub no_proxy: Vec<String>,
}

/// The outbound proxy, and who uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborProxySpec {
    /// The proxy.
    #[serde(flatten)]
    pub proxy: ProxySpec,

    /// Components that use the proxy, out of core, jobservice, registry and trivy. Defaults to core, jobservice and
    /// trivy.
    #[serde(default = "calling_components")]
    pub components: Vec<String>,
}

default_is_the_empty_object!(ProxySpec, HarborProxySpec);

fn local_hosts() -> Vec<String> {
    ["127.0.0.1", "localhost", ".local", ".internal"].map(String::from).to_vec()
}

fn calling_components() -> Vec<String> {
    ["core", "jobservice", "trivy"].map(String::from).to_vec()
}
