//! The environment of JobService's container, grouped as Harbor's documentation groups it.

use super::{
    JobService,
    inputs::{self, Inputs},
    secret,
};
use crate::{
    certificates::InternalTls,
    connections::{proxy_environment, url_host},
    observability::Metrics,
    pods::Environment,
};
use api::v1beta1::jobservice::loggers::JobServiceLogLevel;
use plan::Component;
use std::borrow::Cow;

/// Directory JobService's configuration is in.
pub(super) const DIRECTORY: &str = "/etc/jobservice";

/// Directory JobService's own certificate is in.
pub(super) const TLS_DIRECTORY: &str = "/etc/jobservice/ssl";

/// All of it, each name once.
pub(super) fn environment(jobservice: &Inputs<'_>) -> Environment {
    endpoints(jobservice)
        .and(credentials(jobservice))
        .and(secret::environment(jobservice))
        .and(cache(jobservice))
        .and(manners(jobservice))
        .and(InternalTls::environment(jobservice.tls.as_ref(), TLS_DIRECTORY))
        .and(Metrics::environment(jobservice.metrics.as_ref(), JobService::NAME))
        .and(jobservice.trace.clone())
        .and(proxy_environment(
            jobservice.spec.proxy.as_ref(),
            siblings(jobservice).iter().map(|sibling| &**sibling),
        ))
}

fn endpoints(jobservice: &Inputs<'_>) -> Environment {
    let spec = jobservice.spec;
    Environment::default()
        .with("CORE_URL", &spec.core.url)
        .with("REGISTRY_URL", &spec.registry.url)
        .with("REGISTRY_CONTROLLER_URL", &spec.registry.controller_url)
        .with("TOKEN_SERVICE_URL", &spec.token_service.url)
}

fn credentials(jobservice: &Inputs<'_>) -> Environment {
    let spec = jobservice.spec;
    Environment::default()
        .with_secret("CORE_SECRET", &inputs::core_secret(spec))
        .with_secret("JOBSERVICE_SECRET", &inputs::own_secret(spec))
        .and(jobservice.login.environment())
}

fn cache(jobservice: &Inputs<'_>) -> Environment {
    let environment = Environment::default();
    let Some(spec) = &jobservice.spec.cache_layer else { return environment };
    environment.with("CACHE_ENABLED", true).with_some("CACHE_EXPIRE_HOURS", spec.expire_hours)
}

fn manners(jobservice: &Inputs<'_>) -> Environment {
    let manners = &jobservice.manners;
    Environment::default()
        .with_some("LOG_LEVEL", jobservice.loggers.stdout().map(level_of_libraries))
        .with_some("JOBSERVICE_WEBHOOK_JOB_MAX_RETRY", manners.webhook_tries)
        .with_some("JOBSERVICE_WEBHOOK_JOB_HTTP_CLIENT_TIMEOUT", manners.webhook_timeout)
        .with_some("REGISTRY_HTTP_CLIENT_TIMEOUT", manners.registry_timeout)
}

/// What Harbor's libraries print beside the loggers. At `debug` that is, in every Harbor up to 2.15, the URL of Redis with
/// its password, and what replication to some registries logs in with.
const fn level_of_libraries(level: JobServiceLogLevel) -> &'static str {
    match level {
        JobServiceLogLevel::Debug | JobServiceLogLevel::Info => "info",
        JobServiceLogLevel::Warning => "warning",
        JobServiceLogLevel::Error => "error",
        JobServiceLogLevel::Fatal => "fatal",
    }
}

/// Hosts inside the cluster that JobService talks to over HTTP. It learns the address of Trivy from the database, so
/// that host is known by its name only: components of one Harbor are objects of the same name.
fn siblings<'a>(jobservice: &'a Inputs<'_>) -> Vec<Cow<'a, str>> {
    let spec = jobservice.spec;
    let urls = [&spec.core.url, &spec.registry.url, &spec.registry.controller_url, &spec.token_service.url];
    let trivy = format!("{}-trivy", jobservice.instance.owner);
    urls.into_iter().map(|url| url_host(url).into()).chain([trivy.into()]).collect()
}
