//! The flags by which one sees into the operator, and what they start.

use super::{
    http::{self, Listen},
    metrics_auth::guarded,
};
use crate::{operator::Logging, output::Error};
use clap::Args;
use kube::Client;
use runtime::{Build, Health, Metrics, Reviewer};
use std::{panic, sync::Arc};

/// How one sees into the operator.
#[derive(Debug, Args)]
#[command(next_help_heading = "Seeing into it")]
pub struct Telemetry {
    /// Where to answer /healthz and /readyz: :PORT, IP:PORT or off [default: :5000]
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_HEALTH_ADDRESS")]
    health_address: Option<Listen>,

    /// Where to answer /metrics: :PORT, IP:PORT or off [default: :8080]
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_METRICS_ADDRESS")]
    metrics_address: Option<Listen>,

    /// Answer /metrics only to those who may: their bearer token is reviewed by the API server (TokenReview), then whether
    /// they may get the non-resource URL /metrics (SubjectAccessReview)
    ///
    /// Needs the permissions that harbor-operator rbac --metrics-auth prints. The port speaks plain HTTP: on a network where
    /// others listen, they learn the token.
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

/// What is counted and told from now on.
pub struct Seen {
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// How the operator is.
    pub health: Arc<Health>,
    #[cfg(feature = "otlp")]
    traces: Option<super::traces::Sending>,
}

impl Telemetry {
    /// Begins to log, to trace and to count. To be called inside the runtime that the operator runs on.
    pub fn begin(&self) -> Result<Seen, Error> {
        #[cfg(feature = "otlp")]
        let traces = self.traces.begin()?;
        #[cfg(feature = "otlp")]
        self.logging.start(traces.as_ref().map(super::traces::Sending::listener));
        #[cfg(not(feature = "otlp"))]
        self.logging.start(None);
        let metrics = Arc::new(Metrics::new(Build {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("HARBOR_OPERATOR_COMMIT").unwrap_or("unknown").into(),
            harbor: components::HarborVersion::range(),
        }));
        count_panics(Arc::clone(&metrics));
        Ok(Seen {
            metrics,
            health: Arc::default(),
            #[cfg(feature = "otlp")]
            traces,
        })
    }

    /// Answers probes and scrapes from now on.
    ///
    /// A default that is taken is told and done without: two operators on one machine are no reason to stop.
    pub async fn serve(&self, seen: &Seen, client: &Client) -> Result<(), Error> {
        let health = http::health(Arc::clone(&seen.health));
        let mut metrics = http::metrics(Arc::clone(&seen.metrics));
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
        Err(error) if chosen.is_none() => tracing::warn!(%error, "nobody can look into this operator there"),
        Err(error) => return Err(error),
    }
    Ok(())
}

impl Seen {
    /// The id of the trace a span belongs to.
    pub fn trace_id(&self) -> fn(&tracing::Span) -> Option<String> {
        #[cfg(feature = "otlp")]
        if self.traces.is_some() {
            return super::traces::trace_id;
        }
        |_| None
    }

    /// Sends what has not been sent yet.
    pub async fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(traces) = self.traces {
            traces.end().await;
        }
    }
}

/// Counts every panic and logs where it was. Not what it says: it may quote a value, and that may be a secret.
fn count_panics(metrics: Arc<Metrics>) {
    panic::set_hook(Box::new(move |panic| {
        metrics.panicked();
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "the operator panicked; this is a bug, please report it");
    }));
}
