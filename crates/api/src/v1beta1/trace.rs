//! Distributed tracing.

use super::duration::{GoDuration, seconds};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;

/// Where a component sends its traces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("!self.enabled || self.provider != 'jaeger' || has(self.jaeger)")
    .message("jaeger: is required when provider is jaeger; set jaeger.mode and its collector or agent"))]
#[x_kube(validation = Rule::new("!self.enabled || self.provider != 'otel' || has(self.otel)")
    .message("otel: is required when provider is otel; set otel.endpoint and otel.urlPath"))]
#[x_kube(validation = Rule::new(
        "!self.enabled || self.provider != 'jaeger' || !has(self.jaeger) || self.jaeger.mode != 'collector' \
         || has(self.jaeger.collector)")
    .message("jaeger.collector: is required when jaeger.mode is collector; set jaeger.collector.endpoint"))]
#[x_kube(validation = Rule::new(
        "!self.enabled || self.provider != 'jaeger' || !has(self.jaeger) || self.jaeger.mode != 'agent' \
         || has(self.jaeger.agent)")
    .message("jaeger.agent: is required when jaeger.mode is agent; set jaeger.agent.host and jaeger.agent.port"))]
pub struct TraceSpec {
    /// Whether traces are sent. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// Text that tells the traces of this installation from others in the same backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,

    /// Share of requests that are traced, from 0 for none to 1 for all: 0.1 for every tenth. Defaults to 1.
    // A number as it was written: 1 is not to become 1.0 in pods that exist.
    #[serde(default = "all")]
    pub sample_rate: Number,

    /// Attributes attached to every trace.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,

    /// Which backend receives the traces.
    pub provider: TraceProvider,

    /// Settings of the jaeger provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jaeger: Option<JaegerSpec>,

    /// Settings of the otel provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otel: Option<OtelSpec>,
}

fn all() -> Number {
    Number::from(1)
}

/// A tracing backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TraceProvider {
    /// Jaeger.
    Jaeger,
    /// Anything that speaks OTLP over HTTP.
    Otel,
}

impl TraceProvider {
    /// The value as the spec spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jaeger => "jaeger",
            Self::Otel => "otel",
        }
    }
}

/// Traces to Jaeger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JaegerSpec {
    /// Whether traces go straight to a collector or through an agent.
    pub mode: JaegerMode,

    /// The collector, for mode collector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collector: Option<JaegerCollectorSpec>,

    /// The agent, for mode agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<JaegerAgentSpec>,
}

/// How Jaeger receives traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JaegerMode {
    /// Over HTTP, at its collector.
    Collector,
    /// Over UDP, through an agent.
    Agent,
}

/// A Jaeger collector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JaegerCollectorSpec {
    /// URL of the collector, such as `http://jaeger-collector:14268/api/traces`.
    pub endpoint: String,

    /// User to authenticate as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,

    /// Secret with the password of that user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_ref: Option<String>,
}

/// A Jaeger agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JaegerAgentSpec {
    /// Host of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,

    /// Port of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i64>,
}

/// Traces over OTLP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtelSpec {
    /// Host and port of the collector.
    pub endpoint: String,

    /// Path of the collector's trace endpoint, usually `/v1/traces`.
    pub url_path: String,

    /// Whether traces are compressed on the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression: Option<bool>,

    /// Whether traces go over plain HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,

    /// How long to wait for the collector. Defaults to 10s.
    #[serde(default = "seconds::<10>")]
    pub timeout: GoDuration,
}
