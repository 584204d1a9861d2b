//! Traces, sent to whoever takes OTLP.
//!
//! One trace per reconcile, with a span for each child and one for each request. Without an endpoint there is neither an
//! exporter nor a thread for it.

mod client;
mod trust;

use crate::{operator::Listener, output::Error};
use clap::Args;
use client::HttpClient;
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use std::env;
use tracing::{Level, Metadata, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{Layer as _, filter::filter_fn};
use trust::Trust;

/// The flags of traces.
#[derive(Debug, Args)]
pub struct Traces {
    /// Where to send traces, as OTLP over HTTP: a URL such as http://collector:4318, to which /v1/traces is added. The
    /// other variables of OpenTelemetry are heeded too [default: traces are not made]
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,

    #[command(flatten)]
    trust: Trust,
}

/// The endpoint of traces alone, used as it is.
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

impl Traces {
    /// Makes traces from now on, if there is somewhere to send them.
    pub fn begin(&self) -> Result<Option<Sending>, Error> {
        let given = |variable: &str| env::var(variable).ok().filter(|value| !value.is_empty());
        let base = self.otlp_endpoint.as_deref().filter(|base| !base.is_empty());
        let base = base.map(|base| format!("{}/v1/traces", base.trim_end_matches('/')));
        let Some(endpoint) = given(TRACES_ENDPOINT).or(base) else { return Ok(None) };
        Sending::to(&endpoint, HttpClient::new(self.trust.config(&endpoint)?)).map(Some)
    }
}

/// Traces that are being made.
pub struct Sending(SdkTracerProvider);

impl Sending {
    fn to(endpoint: &str, client: HttpClient) -> Result<Self, Error> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(endpoint)
            .build()
            .map_err(|error| {
                let remedy = "write it as a URL, such as http://collector:4318";
                Error::input("--otlp-endpoint", error.to_string(), remedy)
            })?;
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build();
        Ok(Self(provider))
    }

    /// What makes spans of ours those of OpenTelemetry.
    pub fn listener(&self) -> Listener {
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer("harbor-operator"));
        let layer = layer.with_location(false).with_threads(false).with_tracked_inactivity(false);
        layer.with_filter(filter_fn(is_ours)).boxed()
    }

    /// Sends what has not been sent yet.
    pub async fn end(self) {
        // It waits for its thread, and that for us.
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("the last traces could not be sent");
        }
    }
}

/// Spans of reconciles, and what is logged in them.
fn is_ours(it: &Metadata<'_>) -> bool {
    it.target().starts_with("runtime") && (it.is_span() || *it.level() <= Level::INFO)
}

/// Who sends: what the environment says, and else what we are.
fn resource() -> Resource {
    let named = env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty())
        || env::var("OTEL_RESOURCE_ATTRIBUTES").is_ok_and(|all| all.contains("service.name="));
    let resource = Resource::builder();
    let resource = if named { resource } else { resource.with_service_name("harbor-operator") };
    resource
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build()
}

/// The id of the trace a span belongs to, if that is sent.
pub fn trace_id(span: &Span) -> Option<String> {
    let context = span.context();
    let context = context.span().span_context().clone();
    context.is_sampled().then(|| context.trace_id().to_string())
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
