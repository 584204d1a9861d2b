//! The ConfigMap with Trivy's settings, each key an environment variable of the adapter.

use super::{inputs::Inputs, storage};
use api::v1beta1::trivy::{
    TrivyLogLevel, TrivySeverity, TrivyVulnerabilityType, redis::TrivyRedisPoolSpec,
    sources::TrivySecurityCheck,
};
use k8s_openapi::api::core::v1::ConfigMap;
use std::collections::BTreeMap;

/// The ConfigMap.
pub(super) fn config_map(trivy: &Inputs<'_>) -> ConfigMap {
    let settings = server(trivy).chain(scans(trivy)).chain(sources(trivy)).chain(queue(trivy));
    let data: BTreeMap<String, String> =
        settings.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    ConfigMap { metadata: trivy.instance.own_metadata(), data: Some(data), ..ConfigMap::default() }
}

/// A variable, and its value unless the adapter's default is to hold.
type Setting = (&'static str, Option<String>);

fn server(trivy: &Inputs<'_>) -> impl Iterator<Item = Setting> {
    let server = &trivy.spec.server;
    [
        ("SCANNER_LOG_LEVEL", some(log_level(trivy.spec.log.level))),
        ("SCANNER_API_SERVER_READ_TIMEOUT", some(&server.read_timeout)),
        ("SCANNER_API_SERVER_WRITE_TIMEOUT", some(&server.write_timeout)),
        ("SCANNER_API_SERVER_IDLE_TIMEOUT", some(&server.idle_timeout)),
    ]
    .into_iter()
}

/// Since Harbor 2.10 the adapter knows nothing more severe than `error`, and takes what it does not know for `info`.
const fn log_level(level: TrivyLogLevel) -> &'static str {
    match level {
        TrivyLogLevel::Fatal | TrivyLogLevel::Panic => TrivyLogLevel::Error.as_str(),
        known => known.as_str(),
    }
}

fn scans(trivy: &Inputs<'_>) -> impl Iterator<Item = Setting> {
    let (spec, server) = (trivy.spec, &trivy.spec.server);
    [
        ("SCANNER_TRIVY_CACHE_DIR", some(storage::CACHE)),
        ("SCANNER_TRIVY_REPORTS_DIR", some(storage::REPORTS)),
        ("SCANNER_TRIVY_DEBUG_MODE", some(server.debug_mode)),
        (
            "SCANNER_TRIVY_VULN_TYPE",
            list(&spec.vulnerability_types, |it| TrivyVulnerabilityType::as_str(*it)),
        ),
        ("SCANNER_TRIVY_SEVERITY", list(&spec.severities, |it| TrivySeverity::as_str(*it))),
        ("SCANNER_TRIVY_IGNORE_UNFIXED", some(server.ignore_unfixed)),
        ("SCANNER_TRIVY_OFFLINE_SCAN", some(spec.offline_scan)),
        ("SCANNER_TRIVY_INSECURE", some(server.insecure)),
        (
            "SCANNER_TRIVY_SECURITY_CHECKS",
            list(&spec.sources.security_checks, |it| TrivySecurityCheck::as_str(*it)),
        ),
    ]
    .into_iter()
}

fn sources(trivy: &Inputs<'_>) -> impl Iterator<Item = Setting> {
    let (spec, sources) = (trivy.spec, &trivy.spec.sources);
    let skip = spec.update.as_ref().is_some_and(|update| update.skip);
    [
        ("SCANNER_TRIVY_SKIP_UPDATE", some(skip)),
        ("SCANNER_TRIVY_SKIP_JAVA_DB_UPDATE", sources.skip_java_db_update.and_then(some)),
        ("SCANNER_TRIVY_DB_REPOSITORY", list(&sources.db_repository, String::as_str)),
        ("SCANNER_TRIVY_JAVA_DB_REPOSITORY", list(&sources.java_db_repository, String::as_str)),
    ]
    .into_iter()
}

fn queue(trivy: &Inputs<'_>) -> impl Iterator<Item = Setting> {
    let (redis, jobs) = (trivy.redis.spec, &trivy.redis.jobs);
    let TrivyRedisPoolSpec {
        max_active,
        max_idle,
        idle_timeout,
        connection_timeout,
        read_timeout,
        write_timeout,
    } = &trivy.redis.pool;
    [
        ("SCANNER_STORE_REDIS_NAMESPACE", some(&redis.namespace)),
        ("SCANNER_STORE_REDIS_SCAN_JOB_TTL", some(&jobs.scan_ttl)),
        ("SCANNER_JOB_QUEUE_REDIS_NAMESPACE", some(&jobs.namespace)),
        // Scans at the same time in one pod would wait for each other: the cache can be opened once.
        ("SCANNER_JOB_QUEUE_WORKER_CONCURRENCY", some(1)),
        ("SCANNER_REDIS_POOL_MAX_ACTIVE", some(max_active)),
        ("SCANNER_REDIS_POOL_MAX_IDLE", some(max_idle)),
        ("SCANNER_REDIS_POOL_IDLE_TIMEOUT", some(idle_timeout)),
        ("SCANNER_REDIS_POOL_CONNECTION_TIMEOUT", some(connection_timeout)),
        ("SCANNER_REDIS_POOL_READ_TIMEOUT", some(read_timeout)),
        ("SCANNER_REDIS_POOL_WRITE_TIMEOUT", some(write_timeout)),
    ]
    .into_iter()
}

fn some(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

/// Joined with commas. An empty list is left to the adapter's default; an empty value would be taken at its word.
fn list<T>(items: &[T], text: impl Fn(&T) -> &str) -> Option<String> {
    let joined = items.iter().map(text).collect::<Vec<_>>().join(",");
    Some(joined).filter(|joined| !joined.is_empty())
}
