//! Settings that are passed to Core unchanged, if its version of Harbor supports them.

use crate::{
    connections::check_redis,
    pods::Environment,
    secrets::{SecretKey, Secrets},
    values::{Fault, go_duration, whole_seconds},
    versions::{Feature, HarborVersion},
};
use api::v1beta1::{
    CoreSpec,
    core::settings::{AuditLogSpec, CacheLayerSpec, CoreSettingsSpec, GdprSpec, QuotaProvider},
    postgres::ConnectionLifetimeSpec,
};
use plan::{All, PlanError};
use serde_json::{Map, Value};

/// Key of a Secret, and environment variable, that holds system settings.
const OVERWRITE: &str = "CONFIG_OVERWRITE_JSON";

/// The settings of the spec. Refuses those that this version of Harbor does not support.
pub(super) fn environment(
    spec: &CoreSpec,
    version: &HarborVersion,
    secrets: &Secrets<'_>,
) -> Result<Environment, PlanError> {
    let (lifetime, cache_layer, quotas, logs, overwrite, ()) = (
        connection_lifetime(&spec.database.lifetime, version),
        cache_layer(spec.cache_layer.as_ref(), version),
        quotas_and_users(&spec.settings, version),
        logs(&spec.settings, version),
        overwrite(&spec.settings, secrets),
        redis_understood(spec, version),
    )
        .all()?;
    Ok(lifetime.and(cache_layer).and(quotas).and(logs).and(overwrite))
}

fn redis_understood(spec: &CoreSpec, version: &HarborVersion) -> Result<(), PlanError> {
    let registry = spec.components.registry.redis.as_ref();
    (
        check_redis(&spec.redis.connection, "spec.redis", version),
        version.known(
            Feature::SeparateRedisDatabases,
            "spec.redis.harborDatabase",
            spec.redis.harbor_database,
        ),
        registry.map_or(Ok(()), |it| check_redis(it, "spec.components.registry.redis", version)),
    )
        .all()
        .map(drop)
}

fn connection_lifetime(
    spec: &ConnectionLifetimeSpec,
    version: &HarborVersion,
) -> Result<Environment, PlanError> {
    let ConnectionLifetimeSpec { connection_max_lifetime, connection_max_idle_time } = spec;
    let read = |duration, field: &str| {
        let duration = version.known(Feature::ConnectionLifetime, field, duration)?;
        duration.map(|duration| go_duration(duration, field)).transpose()
    };
    let (lifetime, idle) = (
        read(connection_max_lifetime.as_ref(), "spec.database.connectionMaxLifetime"),
        read(connection_max_idle_time.as_ref(), "spec.database.connectionMaxIdleTime"),
    )
        .all()?;
    Ok(Environment::default()
        .with_some("POSTGRESQL_CONN_MAX_LIFETIME", lifetime)
        .with_some("POSTGRESQL_CONN_MAX_IDLE_TIME", idle))
}

/// A cache layer that is turned on.
pub(super) fn enabled(spec: Option<&CacheLayerSpec>) -> Option<&CacheLayerSpec> {
    spec.filter(|layer| layer.enabled)
}

fn cache_layer(spec: Option<&CacheLayerSpec>, version: &HarborVersion) -> Result<Environment, PlanError> {
    let Some(CacheLayerSpec { enabled, expire_hours, database }) = enabled(spec) else {
        return Ok(Environment::default());
    };
    (
        version.require(Feature::CacheLayer, "spec.cacheLayer"),
        version.known(Feature::SeparateRedisDatabases, "spec.cacheLayer.database", database.as_ref()),
    )
        .all()?;
    Ok(Environment::default()
        .with("CACHE_ENABLED", enabled)
        .with_some("CACHE_EXPIRE_HOURS", expire_hours.as_ref()))
}

fn quotas_and_users(spec: &CoreSettingsSpec, version: &HarborVersion) -> Result<Environment, PlanError> {
    let GdprSpec { delete_user, audit_logs } = spec.gdpr.clone().unwrap_or_default();
    let (quotas, delete_user, audit_logs) = (
        version.known(
            Feature::QuotaProvider,
            "spec.quotaProvider",
            spec.quota_provider.map(QuotaProvider::as_str),
        ),
        version.known(Feature::GdprDeleteUser, "spec.gdpr.deleteUser", delete_user),
        version.known(Feature::GdprAuditLogs, "spec.gdpr.auditLogs", audit_logs),
    )
        .all()?;
    Ok(Environment::default()
        .with_some("QUOTA_UPDATE_PROVIDER", quotas)
        .with_some("GDPR_DELETE_USER", delete_user)
        .with_some("GDPR_AUDIT_LOGS", audit_logs))
}

fn logs(spec: &CoreSettingsSpec, version: &HarborVersion) -> Result<Environment, PlanError> {
    let AuditLogSpec { skip_database } = spec.audit_log.clone().unwrap_or_default();
    let flush = spec.artifact_pull_async_flush_duration.as_ref();
    let (skip_database, flush) = (
        version.known(Feature::SkipAuditLogDatabase, "spec.auditLog.skipDatabase", skip_database),
        flush.map(|flush| whole_seconds(flush, "spec.artifactPullAsyncFlushDuration")).transpose(),
    )
        .all()?;
    Ok(Environment::default()
        .with_some("SKIP_LOG_AUDIT_DATABASE", skip_database)
        .with_some("ARTIFACT_PULL_ASYNC_FLUSH_DURATION", flush)
        .with_some("GC_TIME_WINDOW_HOURS", spec.gc_time_window_hours))
}

fn overwrite(spec: &CoreSettingsSpec, secrets: &Secrets<'_>) -> Result<Environment, PlanError> {
    let Some(secret) = &spec.config_overwrite_ref else { return Ok(Environment::default()) };
    let key = SecretKey::new(secret, OVERWRITE);
    secrets.checked(&key, overwrites)?;
    Ok(Environment::default().with_secret(OVERWRITE, &key))
}

/// Accepts a JSON object with settings. Core crashes on anything else, and makes all settings read-only for an
/// empty object.
fn overwrites(json: &[u8]) -> Result<(), Fault> {
    const REMEDY: &str =
        "write settings such as {\"session_timeout\": 120}, or remove spec.configOverwriteRef";
    match serde_json::from_slice::<Map<String, Value>>(json) {
        Err(_) => Err(Fault::new("is not a JSON object, so Core would not start", REMEDY)),
        Ok(settings) if settings.is_empty() => {
            Err(Fault::new("holds no setting, but would make all settings read-only", REMEDY))
        }
        Ok(_) => Ok(()),
    }
}
