//! The environment of Core's container, grouped as Harbor's documentation groups it.
//!
//! Not set, although the operator's predecessor did, because no Harbor since 2.5 reads them: `AUTH_MODE`,
//! `CFG_EXPIRATION`, `RELOAD_KEY`, `SYNC_REGISTRY`.

use super::{
    Core,
    inputs::{self, Inputs},
    secret,
};
use crate::{
    HarborVersion, catalogue::Feature, environment::Environment, metrics::Metrics, proxy, tls::InternalTls,
};
use api::v1beta1::core::{CoreLogLevel, components::CacheDriver};
use plan::Component;

/// Directory Core's files are in.
pub(super) const DIRECTORY: &str = "/etc/core";

/// Directory Core's own certificate is in.
pub(super) const TLS_DIRECTORY: &str = "/etc/core/ssl";

/// All of it, each name once.
pub(super) fn environment(core: &Inputs<'_>) -> Environment {
    general(core)
        .and(database(core))
        .and(redis(core))
        .and(endpoints(core))
        .and(credentials(core))
        .and(features(core))
        .and(InternalTls::environment(core.tls.as_ref(), TLS_DIRECTORY))
        .and(Metrics::environment(core.metrics.as_ref(), Core::NAME))
        .and(core.trace.clone())
        .and(proxy::environment(core.spec.proxy.as_ref(), siblings(core)))
}

fn general(core: &Inputs<'_>) -> Environment {
    let level = core.spec.log.as_ref().map(|log| log.level).unwrap_or_default();
    let level = match level {
        CoreLogLevel::Debug => "debug",
        CoreLogLevel::Info => "info",
        // What the API calls `warn` Harbor does not understand.
        CoreLogLevel::Warn => "warning",
        CoreLogLevel::Error => "error",
    };
    Environment::default()
        .with("CONFIG_PATH", format_args!("{DIRECTORY}/{}", super::config::FILE))
        .with("LOG_LEVEL", level)
}

fn database(core: &Inputs<'_>) -> Environment {
    core.database
        .environment()
        .with("POSTGRESQL_MAX_IDLE_CONNS", core.spec.database.max_idle_connections)
        .with("POSTGRESQL_MAX_OPEN_CONNS", core.spec.database.max_open_connections)
}

/// Without a registry Redis its variable is left out: an empty one would be taken at its word.
fn redis(core: &Inputs<'_>) -> Environment {
    let environment = Environment::default()
        .with_secret(secret::REDIS_URL_CORE, &secret::key(core, secret::REDIS_URL_CORE));
    match core.redis.registry {
        Some(_) => {
            let key = secret::key(core, secret::REDIS_URL_REGISTRY);
            environment.with_secret(secret::REDIS_URL_REGISTRY, &key)
        }
        None => environment,
    }
}

fn endpoints(core: &Inputs<'_>) -> Environment {
    let components = &core.spec.components;
    let (scheme, name) = (core.scheme(), &core.instance.name);
    let (own, port, container_port) = (scheme.as_str(), scheme.port(), scheme.container_port());
    Environment::default()
        .with("EXT_ENDPOINT", &core.spec.external_endpoint)
        // The port is spelt out because the Trivy adapter cannot do without.
        .with("CORE_URL", format_args!("{own}://{name}:{port}"))
        // Only ever used by Core to push to itself, and then without verifying the certificate.
        .with("CORE_LOCAL_URL", format_args!("{own}://127.0.0.1:{container_port}"))
        .with("JOBSERVICE_URL", &components.job_service.url)
        .with("PORTAL_URL", &components.portal.url)
        .with("REGISTRY_URL", &components.registry.access.url)
        .with("REGISTRY_CONTROLLER_URL", &components.registry.access.controller_url)
        .with("TOKEN_SERVICE_URL", &components.token_service.url)
}

fn credentials(core: &Inputs<'_>) -> Environment {
    let spec = core.spec;
    Environment::default()
        .with_secret("CORE_SECRET", &inputs::core_secret(spec))
        .with_secret("JOBSERVICE_SECRET", &inputs::jobservice_secret(spec))
        .with("REGISTRY_CREDENTIAL_USERNAME", &spec.components.registry.access.credentials.username)
        .with_secret("REGISTRY_CREDENTIAL_PASSWORD", &inputs::registry_password(spec))
        .with_secret("HARBOR_ADMIN_PASSWORD", &inputs::admin_password(spec))
        .with_secret("CSRF_KEY", &inputs::csrf_key(spec))
}

/// What Harbor can do. A ChartMuseum is left out for Harbor 2.8 and newer, a Notary for 2.9 and newer: these have no
/// use for them.
fn features(core: &Inputs<'_>) -> Environment {
    let (components, version) = (&core.spec.components, &core.instance.version);
    let trivy = components.trivy.as_ref();
    let mut environment = Environment::default()
        .with("WITH_TRIVY", trivy.is_some())
        .with_some("TRIVY_ADAPTER_URL", trivy.map(|trivy| &trivy.adapter_url));
    if version.has(Feature::Notary) {
        let notary = components.notary_server.as_ref();
        environment = environment
            .with("WITH_NOTARY", notary.is_some())
            .with_some("NOTARY_URL", notary.map(|notary| &notary.url));
    }
    if version.has(Feature::ChartMuseum) {
        let charts = components.chart_repository.as_ref();
        environment = environment
            .with("WITH_CHARTMUSEUM", charts.is_some())
            .with_some("CHART_REPOSITORY_URL", charts.map(|charts| &charts.url))
            .with_some("CHART_CACHE_DRIVER", charts.map(|charts| cache_driver(charts.cache_driver)));
    }
    if version.has(Feature::SyncQuota) {
        environment = environment.with("SYNC_QUOTA", true);
    }
    environment
        .with_some("REGISTRY_STORAGE_PROVIDER_NAME", components.registry.storage_provider_name.as_ref())
        .with("PERMITTED_REGISTRY_TYPES_FOR_PROXY_CACHE", proxy_cache_types(version))
        .with_some(
            "REPLICATION_ADAPTER_WHITELIST",
            version.has(Feature::ReplicationAdapters).then_some(REPLICATION_ADAPTERS),
        )
}

const fn cache_driver(driver: CacheDriver) -> &'static str {
    match driver {
        CacheDriver::Redis => "redis",
    }
}

/// What Harbor's own installer permits to be replicated to and from. Unset would mean everything, tried or not.
const REPLICATION_ADAPTERS: &str = "ali-acr,aws-ecr,azure-acr,docker-hub,docker-registry,github-ghcr,google-gcr,\
                                    harbor,huawei-SWR,jfrog-artifactory,tencent-tcr,volcengine-cr";

/// What Harbor's own installer permits to be cached. Unset would mean nothing.
///
/// GitHub's registry is permitted from 2.5 on, one version early: the operator's predecessor did so.
fn proxy_cache_types(version: &HarborVersion) -> String {
    let types = [
        ("docker-hub", true),
        ("harbor", true),
        ("azure-acr", true),
        ("ali-acr", version.has(Feature::AliAcrProxyCache)),
        ("aws-ecr", true),
        ("google-gcr", true),
        ("quay", version.has(Feature::QuayProxyCache)),
        ("docker-registry", true),
        ("github-ghcr", true),
        ("jfrog-artifactory", version.has(Feature::JfrogProxyCache)),
    ];
    types.into_iter().filter(|(_, permitted)| *permitted).map(|(name, _)| name).collect::<Vec<_>>().join(",")
}

/// Hosts inside the cluster that Core talks to over HTTP.
fn siblings<'a>(core: &'a Inputs<'_>) -> impl Iterator<Item = &'a str> {
    let components = &core.spec.components;
    let always = [
        &components.job_service.url,
        &components.portal.url,
        &components.registry.access.url,
        &components.registry.access.controller_url,
        &components.token_service.url,
    ];
    let sometimes = [
        components.trivy.as_ref().map(|trivy| &trivy.adapter_url),
        components.notary_server.as_ref().map(|notary| &notary.url),
        components.chart_repository.as_ref().map(|charts| &charts.url),
    ];
    let urls = always.into_iter().chain(sometimes.into_iter().flatten());
    std::iter::once(&*core.instance.name).chain(urls.map(|url| proxy::host(url)))
}
