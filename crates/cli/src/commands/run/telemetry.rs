//! Observability flags, and what they start.

use super::{
    http::{self, Listen},
    metrics_auth::guarded,
};
use crate::{operator::Logging, output::Error};
use clap::Args;
use kube::Client;
use runtime::{Build, Health, Metrics, Reviewer};
use std::{panic, sync::Arc};

/// Observability flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Observability")]
pub struct TelemetryArgs {
    /// Address of /healthz and /readyz: :PORT, IP:PORT or off [default: :5000]
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_HEALTH_ADDRESS")]
    health_address: Option<Listen>,

    /// Address of /metrics: :PORT, IP:PORT or off [default: :8080]
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_METRICS_ADDRESS")]
    metrics_address: Option<Listen>,

    /// Require authentication for /metrics: TokenReview, then SubjectAccessReview
    ///
    /// The API server reviews the bearer token of each request, and whether its user may get the non-resource URL /metrics.
    /// Needs the permissions that harbor-operator rbac --metrics-auth prints. The port speaks plain HTTP: the token can be
    /// read on the network.
    #[arg(long, env = "HARBOR_OPERATOR_METRICS_AUTH", value_parser = clap::builder::BoolishValueParser::new())]
    metrics_auth: bool,

    #[command(flatten)]
    logging: Logging,

    #[cfg(feature = "otlp")]
    #[command(flatten)]
    traces: super::traces::Traces,
}

const HEALTH: (Listen, &str) = (Listen::Port(5000), "--health-address");
const METRICS: (Listen, &str) = (Listen::Port(8080), "--metrics-address");

/// Metrics and health of this process.
pub struct Telemetry {
    /// Its metrics.
    pub metrics: Arc<Metrics>,
    /// Its health.
    pub health: Arc<Health>,
    #[cfg(feature = "otlp")]
    traces: Option<super::traces::TraceExporter>,
}

impl TelemetryArgs {
    /// Starts logs, traces and metrics. Call it inside the runtime that the operator runs on.
    pub fn start(&self) -> Result<Telemetry, Error> {
        #[cfg(feature = "otlp")]
        let traces = self.traces.start()?;
        #[cfg(feature = "otlp")]
        self.logging.start(traces.as_ref().map(super::traces::TraceExporter::layer));
        #[cfg(not(feature = "otlp"))]
        self.logging.start(None);
        let metrics = Arc::new(Metrics::new(Build {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("HARBOR_OPERATOR_COMMIT").unwrap_or("unknown").into(),
            harbor: components::HarborVersion::range(),
        }));
        count_panics(Arc::clone(&metrics));
        Ok(Telemetry {
            metrics,
            health: Arc::default(),
            #[cfg(feature = "otlp")]
            traces,
        })
    }

    /// Serves probes and metrics.
    ///
    /// A default port that is in use is logged and skipped, so that two operators can run on one machine.
    pub async fn serve(&self, telemetry: &Telemetry, client: &Client) -> Result<(), Error> {
        let health = http::health(Arc::clone(&telemetry.health));
        let mut metrics = http::metrics(Arc::clone(&telemetry.metrics));
        if self.metrics_auth {
            metrics = guarded(metrics, Reviewer::new(client.clone(), http::METRICS));
        }
        let address = |chosen: Option<Listen>, default: (Listen, &str)| chosen.unwrap_or(default.0);
        if address(self.health_address, HEALTH).shares(address(self.metrics_address, METRICS)) {
            return serve(self.health_address, HEALTH, health.merge(metrics)).await;
        }
        serve(self.health_address, HEALTH, health).await?;
        serve(self.metrics_address, METRICS, metrics).await
    }
}

async fn serve(
    chosen: Option<Listen>,
    (default, flag): (Listen, &str),
    router: axum::Router,
) -> Result<(), Error> {
    match chosen.unwrap_or(default).bind(flag).await {
        Ok(Some(listener)) => http::serve(listener, flag.trim_start_matches("--"), router),
        Ok(None) => {}
        Err(error) if chosen.is_none() => tracing::warn!(%error, "cannot serve health or metrics"),
        Err(error) => return Err(error),
    }
    Ok(())
}

impl Telemetry {
    /// The id of the trace a span belongs to.
    pub fn trace_id(&self) -> fn(&tracing::Span) -> Option<String> {
        #[cfg(feature = "otlp")]
        if self.traces.is_some() {
            return super::traces::trace_id;
        }
        |_| None
    }

    /// Sends the remaining traces.
    pub async fn flush(self) {
        #[cfg(feature = "otlp")]
        if let Some(traces) = self.traces {
            traces.flush().await;
        }
    }
}

/// Counts every panic and logs its location. The message is not logged: it may quote a secret.
fn count_panics(metrics: Arc<Metrics>) {
    panic::set_hook(Box::new(move |panic| {
        metrics.panicked();
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "the operator panicked; this is a bug, please report it");
    }));
}
