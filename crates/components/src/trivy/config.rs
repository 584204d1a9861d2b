//! The ConfigMap with Trivy's settings. Each key is an environment variable of the adapter.

use super::{storage, validated::Validated};
use crate::{
    connections::{redis_master_set, url_has_password},
    versions::Feature,
};
use api::v1beta1::trivy::{TrivyLogLevel, redis::TrivyRedisPoolSpec};
use k8s_openapi::api::core::v1::ConfigMap;
use std::collections::BTreeMap;

/// The ConfigMap.
pub(super) fn config_map(trivy: &Validated<'_>) -> ConfigMap {
    let Settings(data) = Settings::default().server(trivy).scans(trivy).sources(trivy).queue(trivy);
    ConfigMap { metadata: trivy.instance.own_metadata(), data: Some(data), ..ConfigMap::default() }
}

#[derive(Default)]
struct Settings(BTreeMap<String, String>);

impl Settings {
    fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    fn with_some(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a list, separated by commas. An empty list is left out, so that the adapter's default applies.
    fn with_list<'a>(self, name: &str, items: impl Iterator<Item = &'a str>) -> Self {
        let joined = items.collect::<Vec<_>>().join(",");
        self.with_some(name, Some(joined).filter(|joined| !joined.is_empty()))
    }

    fn server(self, trivy: &Validated<'_>) -> Self {
        let server = &trivy.spec.server;
        self.with("SCANNER_LOG_LEVEL", log_level(trivy))
            .with("SCANNER_API_SERVER_READ_TIMEOUT", &server.read_timeout)
            .with("SCANNER_API_SERVER_WRITE_TIMEOUT", &server.write_timeout)
            .with("SCANNER_API_SERVER_IDLE_TIMEOUT", &server.idle_timeout)
    }

    fn scans(self, trivy: &Validated<'_>) -> Self {
        let (spec, server) = (trivy.spec, &trivy.spec.server);
        self.with("SCANNER_TRIVY_CACHE_DIR", storage::CACHE)
            .with("SCANNER_TRIVY_REPORTS_DIR", storage::REPORTS)
            .with("SCANNER_TRIVY_DEBUG_MODE", server.debug_mode)
            .with_list("SCANNER_TRIVY_VULN_TYPE", spec.vulnerability_types.iter().map(|it| it.as_str()))
            .with_list("SCANNER_TRIVY_SEVERITY", spec.severities.iter().map(|it| it.as_str()))
            .with("SCANNER_TRIVY_IGNORE_UNFIXED", server.ignore_unfixed)
            .with("SCANNER_TRIVY_OFFLINE_SCAN", spec.offline_scan)
            .with("SCANNER_TRIVY_INSECURE", server.insecure)
    }

    fn sources(self, trivy: &Validated<'_>) -> Self {
        let sources = &trivy.spec.sources;
        let skip = trivy.spec.update.as_ref().is_some_and(|update| update.skip);
        self.with("SCANNER_TRIVY_SKIP_UPDATE", skip)
            .with_some("SCANNER_TRIVY_SKIP_JAVA_DB_UPDATE", sources.skip_java_db_update)
            .with_list("SCANNER_TRIVY_DB_REPOSITORY", sources.db_repository.iter().map(String::as_str))
            .with_list(
                "SCANNER_TRIVY_JAVA_DB_REPOSITORY",
                sources.java_db_repository.iter().map(String::as_str),
            )
            .with_list("SCANNER_TRIVY_SECURITY_CHECKS", sources.security_checks.iter().map(|it| it.as_str()))
    }

    fn queue(self, trivy: &Validated<'_>) -> Self {
        let (redis, jobs) = (trivy.redis.spec, &trivy.redis.jobs);
        let TrivyRedisPoolSpec {
            max_active,
            max_idle,
            idle_timeout,
            connection_timeout,
            read_timeout,
            write_timeout,
        } = &trivy.redis.pool;
        self.with("SCANNER_STORE_REDIS_NAMESPACE", &redis.namespace)
            .with("SCANNER_STORE_REDIS_SCAN_JOB_TTL", &jobs.scan_ttl)
            .with("SCANNER_JOB_QUEUE_REDIS_NAMESPACE", &jobs.namespace)
            // Concurrent scans in one pod would wait for each other: only one process can open the cache.
            .with("SCANNER_JOB_QUEUE_WORKER_CONCURRENCY", 1)
            .with("SCANNER_REDIS_POOL_MAX_ACTIVE", max_active)
            .with("SCANNER_REDIS_POOL_MAX_IDLE", max_idle)
            .with("SCANNER_REDIS_POOL_IDLE_TIMEOUT", idle_timeout)
            .with("SCANNER_REDIS_POOL_CONNECTION_TIMEOUT", connection_timeout)
            .with("SCANNER_REDIS_POOL_READ_TIMEOUT", read_timeout)
            .with("SCANNER_REDIS_POOL_WRITE_TIMEOUT", write_timeout)
    }
}

/// Since Harbor 2.10, the adapter knows no level above `error`, and treats an unknown level as `info`. At
/// `debug` it logs the URL of Redis with its password, unless it uses sentinels.
fn log_level(trivy: &Validated<'_>) -> &'static str {
    let prints_url = trivy.instance.version.has(Feature::TrivyPrintsRedisUrl)
        && redis_master_set(&trivy.redis.spec.connection.server).is_none();
    match trivy.spec.log.level {
        TrivyLogLevel::Debug if prints_url && url_has_password(&trivy.redis.url) => {
            TrivyLogLevel::Info.as_str()
        }
        TrivyLogLevel::Fatal | TrivyLogLevel::Panic => TrivyLogLevel::Error.as_str(),
        known => known.as_str(),
    }
}
