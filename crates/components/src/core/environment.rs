//! The environment of Core's container, grouped as Harbor's documentation groups it.
//!
//! The operator's predecessor also set these, which no Harbor since 2.5 reads: `AUTH_MODE`, `CFG_EXPIRATION`,
//! `RELOAD_KEY`, `SYNC_REGISTRY`.

use super::{
    Core,
    endpoints::Endpoints,
    secret,
    validated::{self, Validated},
};
use crate::{
    certificates::{AUTHORITIES_DIRECTORY, InternalTls},
    connections::proxy_environment,
    management::{FIRST, admin_password_key},
    observability::Metrics,
    pods::Environment,
    secrets::SecretKey,
    versions::{Feature, HarborVersion},
};
use api::v1beta1::core::{CoreLogLevel, components::CacheDriver};
use plan::Component;

/// Directory of Core's files.
pub(super) const DIRECTORY: &str = "/etc/core";

/// Directory of Core's certificate.
pub(super) const TLS_DIRECTORY: &str = "/etc/core/ssl";

/// The whole environment, without duplicate names.
pub(super) fn environment(core: &Validated<'_>) -> Environment {
    let siblings = std::iter::once(&*core.instance.name).chain(core.endpoints.siblings());
    general(core)
        .and(database(core))
        .and(redis(core))
        .and(endpoints(core))
        .and(credentials(core))
        .and(features(core))
        .and(core.settings.clone())
        .and(InternalTls::environment(core.tls.as_ref(), TLS_DIRECTORY))
        .and(Metrics::environment(core.metrics.as_ref(), Core::NAME))
        .and(core.trace.clone())
        .and(proxy_environment(core.spec.proxy.as_ref(), siblings))
}

/// What Core needs to migrate the database: nothing but the database and Redis.
pub(super) fn of_migration(core: &Validated<'_>) -> Environment {
    general(core).and(database(core)).and(redis(core))
}

/// What the operator's own program needs to reach the database.
pub(super) fn of_database(core: &Validated<'_>) -> Environment {
    let database = core.database.environment();
    let authorities = core.authorities.mounts();
    if authorities.is_empty() {
        database
    } else {
        database.with("POSTGRESQL_SSLROOTCERT", AUTHORITIES_DIRECTORY)
    }
}

fn general(core: &Validated<'_>) -> Environment {
    let level = core.spec.log.as_ref().map(|log| log.level).unwrap_or_default();
    let level = match level {
        // At `debug`, every Harbor up to 2.15 logs URLs of Redis with their passwords, and the ID tokens of
        // users who log in with OIDC.
        CoreLogLevel::Debug | CoreLogLevel::Info => "info",
        // Harbor does not know `warn`.
        CoreLogLevel::Warn => "warning",
        CoreLogLevel::Error => "error",
    };
    Environment::default()
        .with("CONFIG_PATH", format_args!("{DIRECTORY}/{}", super::config::FILE))
        .with("LOG_LEVEL", level)
}

fn database(core: &Validated<'_>) -> Environment {
    core.database
        .environment()
        .with("POSTGRESQL_MAX_IDLE_CONNS", core.spec.database.max_idle_connections)
        .with("POSTGRESQL_MAX_OPEN_CONNS", core.spec.database.max_open_connections)
}

fn redis(core: &Validated<'_>) -> Environment {
    let name = &core.instance.name;
    secret::urls(core).fold(Environment::default(), |environment, (key, _)| {
        environment.with_secret(key, &SecretKey::new(name, key))
    })
}

fn endpoints(core: &Validated<'_>) -> Environment {
    let (scheme, name) = (core.scheme(), &core.instance.name);
    let (own, port, container_port) = (scheme.as_str(), scheme.port(), scheme.container_port());
    Environment::default()
        // With the port, because the Trivy adapter requires it.
        .with("CORE_URL", format_args!("{own}://{name}:{port}"))
        // Core uses it only to push to itself, without verifying the certificate.
        .with("CORE_LOCAL_URL", format_args!("{own}://127.0.0.1:{container_port}"))
        .and(core.endpoints.environment())
}

fn credentials(core: &Validated<'_>) -> Environment {
    let spec = core.spec;
    Environment::default()
        .with_secret("CORE_SECRET", &validated::core_secret(spec))
        .with_secret("JOBSERVICE_SECRET", &validated::jobservice_secret(spec))
        .and(core.login.environment())
        .with_secret(FIRST, &admin_password_key(spec))
        .with_secret("CSRF_KEY", &validated::csrf_key(spec))
}

/// The features of Harbor. ChartMuseum is left out from Harbor 2.8 on, Notary from 2.9 on: these versions do
/// not have them.
fn features(core: &Validated<'_>) -> Environment {
    let (components, version) = (&core.spec.components, &core.instance.version);
    let Endpoints { trivy, notary, charts, .. } = core.endpoints;
    let mut environment =
        Environment::default().with("WITH_TRIVY", trivy.is_some()).with_some("TRIVY_ADAPTER_URL", trivy);
    if version.has(Feature::Notary) {
        environment = environment.with("WITH_NOTARY", notary.is_some()).with_some("NOTARY_URL", notary);
    }
    if version.has(Feature::ChartMuseum) {
        let driver = components.chart_repository.as_ref().map(|charts| cache_driver(charts.cache_driver));
        environment = environment
            .with("WITH_CHARTMUSEUM", charts.is_some())
            .with_some("CHART_REPOSITORY_URL", charts)
            .with_some("CHART_CACHE_DRIVER", driver);
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

/// The replication adapters that Harbor's own installer enables. Unset, Harbor enables all, including untested
/// ones.
const REPLICATION_ADAPTERS: &str = "ali-acr,aws-ecr,azure-acr,docker-hub,docker-registry,github-ghcr,google-gcr,\
                                    harbor,huawei-SWR,jfrog-artifactory,tencent-tcr,volcengine-cr";

/// The registries that Harbor's own installer allows as proxy caches. Unset, Harbor allows none.
///
/// GitHub's registry is allowed from 2.5 on, one version early, as the operator's predecessor did.
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
