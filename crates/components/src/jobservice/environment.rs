//! The environment of JobService's container, grouped as Harbor's documentation groups it.

use super::{
    JobService, secret,
    validated::{self, Validated},
};
use crate::{
    certificates::InternalTls,
    connections::{proxy_environment, url_host},
    observability::Metrics,
    pods::Environment,
    secrets::SecretKey,
};
use api::v1beta1::jobservice::loggers::JobServiceLogLevel;
use plan::Component;
use std::borrow::Cow;

/// Directory of JobService's configuration.
pub(super) const DIRECTORY: &str = "/etc/jobservice";

/// Directory of JobService's certificate.
pub(super) const TLS_DIRECTORY: &str = "/etc/jobservice/ssl";

/// The whole environment, without duplicate names.
pub(super) fn environment(jobservice: &Validated<'_>) -> Environment {
    endpoints(jobservice)
        .and(credentials(jobservice))
        .and(secret::environment(jobservice))
        .and(access(jobservice))
        .and(cache(jobservice))
        .and(timeouts(jobservice))
        .and(InternalTls::environment(jobservice.tls.as_ref(), TLS_DIRECTORY))
        .and(Metrics::environment(jobservice.metrics.as_ref(), JobService::NAME))
        .and(jobservice.trace.clone())
        .and(proxy_environment(
            jobservice.spec.proxy.as_ref(),
            siblings(jobservice).iter().map(|sibling| &**sibling),
        ))
}

fn endpoints(jobservice: &Validated<'_>) -> Environment {
    let spec = jobservice.spec;
    Environment::default()
        .with("CORE_URL", &spec.core.url)
        .with("REGISTRY_URL", &spec.registry.url)
        .with("REGISTRY_CONTROLLER_URL", &spec.registry.controller_url)
        .with("TOKEN_SERVICE_URL", &spec.token_service.url)
}

fn credentials(jobservice: &Validated<'_>) -> Environment {
    let spec = jobservice.spec;
    Environment::default()
        .with_secret("CORE_SECRET", &validated::core_secret(spec))
        .with_secret("JOBSERVICE_SECRET", &validated::own_secret(spec))
        .and(jobservice.login.environment())
}

/// JobService asks Core how to reach the database when it starts. A change of this restarts it after Core.
fn access(jobservice: &Validated<'_>) -> Environment {
    let Some((record, key)) = &jobservice.database.changes else { return Environment::default() };
    Environment::default().with_secret("DATABASE_ACCESS_CHANGES", &SecretKey::new(record, key))
}

fn cache(jobservice: &Validated<'_>) -> Environment {
    let environment = Environment::default();
    let Some(spec) = &jobservice.spec.cache_layer else { return environment };
    environment.with("CACHE_ENABLED", true).with_some("CACHE_EXPIRE_HOURS", spec.expire_hours)
}

fn timeouts(jobservice: &Validated<'_>) -> Environment {
    let timeouts = &jobservice.timeouts;
    Environment::default()
        .with_some("LOG_LEVEL", jobservice.loggers.stdout().map(level_of_libraries))
        .with_some("JOBSERVICE_WEBHOOK_JOB_MAX_RETRY", timeouts.webhook_tries)
        .with_some("JOBSERVICE_WEBHOOK_JOB_HTTP_CLIENT_TIMEOUT", timeouts.webhook_timeout)
        .with_some("REGISTRY_HTTP_CLIENT_TIMEOUT", timeouts.registry_timeout)
}

/// The level of Harbor's libraries, which log beside the loggers. At `debug`, every Harbor up to 2.15 logs the
/// URL of Redis with its password, and credentials for replication to some registries.
const fn level_of_libraries(level: JobServiceLogLevel) -> &'static str {
    match level {
        JobServiceLogLevel::Debug | JobServiceLogLevel::Info => "info",
        JobServiceLogLevel::Warning => "warning",
        JobServiceLogLevel::Error => "error",
        JobServiceLogLevel::Fatal => "fatal",
    }
}

/// Hosts inside the cluster that JobService calls over HTTP. It reads the URL of Trivy from the database, so
/// the operator derives that host from the name: all components of a Harbor have the same name.
fn siblings<'a>(jobservice: &'a Validated<'_>) -> Vec<Cow<'a, str>> {
    let spec = jobservice.spec;
    let urls = [&spec.core.url, &spec.registry.url, &spec.registry.controller_url, &spec.token_service.url];
    let trivy = format!("{}-trivy", jobservice.instance.owner);
    urls.into_iter().map(|url| url_host(url).into()).chain([trivy.into()]).collect()
}
