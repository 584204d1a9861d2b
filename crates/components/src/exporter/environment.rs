//! The environment of the exporter's container.
//!
//! The operator's predecessor also set these, which no Harbor since 2.5 reads: `HARBOR_METRIC_NAMESPACE`,
//! `HARBOR_METRIC_SUBSYSTEM`.

use super::{
    secret,
    validated::{Lifetime, Validated},
};
use crate::{
    connections::{Url, url_has_password},
    pods::Environment,
};
use api::v1beta1::exporter::ExporterLogLevel;

/// The whole environment, without duplicate names.
pub(super) fn environment(exporter: &Validated<'_>) -> Environment {
    endpoint(exporter).and(core(&exporter.core)).and(database(exporter)).and(queue(exporter))
}

fn endpoint(exporter: &Validated<'_>) -> Environment {
    Environment::default()
        .with_some("LOG_LEVEL", exporter.spec.log.as_ref().map(|log| level(log.level, &exporter.queue.url)))
        .with("HARBOR_EXPORTER_PORT", exporter.metrics.port)
        .with("HARBOR_EXPORTER_METRICS_PATH", exporter.metrics.path)
        .with("HARBOR_EXPORTER_METRICS_ENABLED", true)
        .with("HARBOR_EXPORTER_CACHE_TIME", exporter.cache.duration)
        .with("HARBOR_EXPORTER_CACHE_CLEAN_INTERVAL", exporter.cache.clean_interval)
}

/// At `debug`, every Harbor up to 2.15 logs the URL of Redis with its password. It treats `panic` as `info`.
fn level(level: ExporterLogLevel, redis_url: &str) -> &'static str {
    match level {
        ExporterLogLevel::Debug if !url_has_password(redis_url) => "debug",
        ExporterLogLevel::Debug | ExporterLogLevel::Info => "info",
        ExporterLogLevel::Warning => "warning",
        ExporterLogLevel::Error => "error",
        ExporterLogLevel::Panic => "fatal",
    }
}

fn core(url: &Url<'_>) -> Environment {
    let environment = Environment::default()
        .with("HARBOR_SERVICE_SCHEME", url.scheme.as_str())
        .with("HARBOR_SERVICE_HOST", url.host);
    match url.port {
        Some(port) => environment.with("HARBOR_SERVICE_PORT", port),
        None => environment.with("HARBOR_SERVICE_PORT", url.scheme.port()),
    }
}

fn database(exporter: &Validated<'_>) -> Environment {
    let Lifetime { max, idle } = exporter.lifetime;
    exporter
        .database
        .exporter_environment()
        .with("HARBOR_DATABASE_MAX_IDLE_CONNS", exporter.spec.database.max_idle_connections)
        .with("HARBOR_DATABASE_MAX_OPEN_CONNS", exporter.spec.database.max_open_connections)
        .with_some("HARBOR_DATABASE_CONN_MAX_LIFETIME", max)
        .with_some("HARBOR_DATABASE_CONN_MAX_IDLE_TIME", idle)
}

fn queue(exporter: &Validated<'_>) -> Environment {
    Environment::default()
        .with_secret(secret::REDIS_URL, &secret::key(exporter))
        .with("HARBOR_REDIS_NAMESPACE", &exporter.queue.namespace)
        .with("HARBOR_REDIS_TIMEOUT", exporter.queue.idle_timeout)
}
