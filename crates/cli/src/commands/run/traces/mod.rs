//! Traces over OTLP.
//!
//! One trace per reconcile, with a span for each child and one for each request. Without an endpoint there is neither an
//! exporter nor a thread for it.

mod client;
mod trust;

use crate::{operator::BoxedLayer, output::Error};
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

/// Flags for traces.
#[derive(Debug, Args)]
pub struct Traces {
    /// URL to send traces to, as OTLP over HTTP, such as http://collector:4318; /v1/traces is appended. The other
    /// OpenTelemetry variables apply, too [default: no traces]
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,

    #[command(flatten)]
    trust: Trust,
}

/// The endpoint for traces only, to which nothing is appended.
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

impl Traces {
    /// Starts to record traces, if there is an endpoint.
    pub fn start(&self) -> Result<Option<TraceExporter>, Error> {
        let given = |variable: &str| env::var(variable).ok().filter(|value| !value.is_empty());
        let base = self.otlp_endpoint.as_deref().filter(|base| !base.is_empty());
        let base = base.map(|base| format!("{}/v1/traces", base.trim_end_matches('/')));
        let Some(endpoint) = given(TRACES_ENDPOINT).or(base) else { return Ok(None) };
        TraceExporter::to(&endpoint, HttpClient::new(self.trust.config(&endpoint)?)).map(Some)
    }
}

/// Records traces and sends them.
pub struct TraceExporter(SdkTracerProvider);

impl TraceExporter {
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

    /// The layer that turns our spans into those of OpenTelemetry.
    pub fn layer(&self) -> BoxedLayer {
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer("harbor-operator"));
        let layer = layer.with_location(false).with_threads(false).with_tracked_inactivity(false);
        layer.with_filter(filter_fn(is_ours)).boxed()
    }

    /// Sends the remaining traces.
    pub async fn flush(self) {
        // It blocks until its thread has sent them, which needs this runtime.
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!("cannot send the last traces");
        }
    }
}

/// Spans of reconciles, and events in them.
fn is_ours(it: &Metadata<'_>) -> bool {
    it.target().starts_with("runtime") && (it.is_span() || *it.level() <= Level::INFO)
}

/// The resource of the traces.
fn resource() -> Resource {
    let named = env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty())
        || env::var("OTEL_RESOURCE_ATTRIBUTES").is_ok_and(|all| all.contains("service.name="));
    let resource = Resource::builder();
    let resource = if named { resource } else { resource.with_service_name("harbor-operator") };
    resource
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build()
}

/// The id of the trace of a span, if it is sampled.
pub fn trace_id(span: &Span) -> Option<String> {
    let context = span.context();
    let context = context.span().span_context().clone();
    context.is_sampled().then(|| context.trace_id().to_string())
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
