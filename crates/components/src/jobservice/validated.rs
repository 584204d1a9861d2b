//! Everything that the children of JobService are made from, validated: its spec and the Secrets that it refers
//! to.
//!
//! All problems are reported together here.

use super::{
    JobService,
    loggers::{LogSource, Loggers},
    queue::{Queue, check_queue},
};
use crate::{
    certificates::{Authorities, InternalTls},
    connections::{RegistryLogin, check_redis, redis_url},
    core::DatabaseOfCore,
    data::Claims,
    observability::{Metrics, trace_environment},
    pods::{Environment, Instance, Scheme, Strategy, sub_path},
    secrets::{SecretKey, Secrets},
    values::{not_empty, whole_units},
    versions::{Feature, HarborVersion},
};
use api::v1beta1::{
    self, JobServiceSpec,
    jobservice::{JobServiceCacheLayerSpec, JobServiceSettingsSpec},
    redis::{JobServiceRedisPool, RedisConnection},
    volume::ScratchVolumeSpec,
};
use kube::core::ObjectMeta;
use plan::{All, Component, PlanError, World};
use std::time::Duration;

/// A validated JobService.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a JobServiceSpec,
    /// The queue it works on.
    pub queue: Queue,
    /// The cache layer, if it is enabled.
    pub cache: Option<Cache>,
    /// The database, of which it learns from Core.
    pub database: DatabaseOfCore,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// Its metrics, if they are enabled.
    pub metrics: Option<Metrics<'a>>,
    /// The authorities that it trusts.
    pub authorities: Authorities<'a>,
    /// Its credentials for the registry.
    pub login: RegistryLogin<'a>,
    /// Its settings for traces.
    pub trace: Environment,
    /// Loggers of its own logs.
    pub loggers: Loggers<'a>,
    /// Loggers of the jobs' logs.
    pub job_loggers: Loggers<'a>,
    /// Directory of exported scan results in their volume.
    pub exports: Option<String>,
    /// The claims of logs and exported scan results.
    pub claims: Claims,
    /// How its pods are replaced.
    pub strategy: Strategy,
    /// Timeouts and retries of its requests.
    pub timeouts: Timeouts,
}

/// The cache layer that JobService shares with Core. Its URLs may contain passwords.
pub(super) struct Cache {
    /// URL of Core's database.
    pub core: String,
    /// URL of a database of its own.
    pub own: Option<String>,
}

/// Timeouts and retries of JobService's requests, in Harbor's units.
pub(super) struct Timeouts {
    /// How often JobService tries to call a webhook.
    pub webhook_tries: Option<i32>,
    /// How many seconds one attempt may take.
    pub webhook_timeout: Option<u64>,
    /// How many minutes a request to a registry may take.
    pub registry_timeout: Option<u64>,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::JobService, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let authorities = authorities(spec);
        let (
            (instance, claims),
            ((queue, cache), database),
            (tls, metrics),
            login,
            trace,
            (loggers, job_loggers),
            exports,
            (strategy, timeouts),
            ..,
        ) = (
            instance(owner, world).and_then(|it| claims(owner, &it, world).map(|claims| (it, claims))),
            (redis_urls(spec, &owner.metadata, &secrets), database(owner, &secrets, world)).all(),
            served(spec, &secrets),
            RegistryLogin::of(&spec.registry.credentials, &secrets),
            trace_environment(spec.trace.as_ref(), JobService::NAME, &secrets),
            (Loggers::of(&spec.loggers, LogSource::Service), Loggers::of(&spec.job_loggers, LogSource::Jobs))
                .all(),
            exports(spec),
            (Strategy::parse(&spec.update_strategy_type), timeouts(spec)).all(),
            shared_secrets(spec, &secrets),
            authorities.check(&secrets),
        )
            .all()?;
        Ok(Self {
            instance,
            spec,
            queue,
            cache,
            database,
            tls,
            metrics,
            authorities,
            login,
            trace,
            loggers,
            job_loggers,
            exports,
            strategy: claims.strategy(strategy),
            claims,
            timeouts,
        })
    }

    /// How JobService is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.tls.as_ref())
    }
}

fn database(
    owner: &v1beta1::JobService,
    secrets: &Secrets<'_>,
    world: &World<'_>,
) -> Result<DatabaseOfCore, PlanError> {
    // All components of a Harbor have the same name.
    DatabaseOfCore::read(owner.metadata.name.as_deref().unwrap_or_default(), secrets, world)
}

/// The claims of its volumes, which depend on the version.
fn claims(
    owner: &v1beta1::JobService,
    instance: &Instance<'_>,
    world: &World<'_>,
) -> Result<Claims, PlanError> {
    let JobServiceSpec { loggers, job_loggers, storage, .. } = &owner.spec;
    let files = [(LogSource::Service, loggers), (LogSource::Jobs, job_loggers)].into_iter().flat_map(
        |(source, it)| {
            let files = it.files.iter().flatten().enumerate();
            files
                .filter_map(move |(index, file)| Some((source.field_of_volume(index), file.volume.as_ref()?)))
        },
    );
    let exports = storage.as_ref().map(|storage| &storage.scan_data_exports.volume_source);
    let exports = exports.filter(|_| instance.version.has(Feature::ScanDataExportVolume));
    let field = || "spec.storage.scanDataExports.volumeSource".to_owned();
    Claims::of(files.chain(exports.map(|source| (field(), source))), &owner.metadata, instance.spec, world)
}

fn exports(spec: &JobServiceSpec) -> Result<Option<String>, PlanError> {
    let prefix = spec.storage.as_ref().and_then(|storage| storage.scan_data_exports.prefix.as_deref());
    sub_path(prefix, "spec.storage.scanDataExports.prefix")
}

fn instance<'a>(owner: &'a v1beta1::JobService, world: &World<'_>) -> Result<Instance<'a>, PlanError> {
    let instance = Instance::of::<JobService>(&owner.metadata, &owner.spec.component, world.defaults())?;
    supported(&owner.spec, &instance.version)?;
    Ok(instance)
}

const POOL: &str = "spec.workerPool.redisPool";
const CACHE: &str = "spec.cacheLayer";

/// Refuses settings that the version of Harbor does not support.
fn supported(spec: &JobServiceSpec, version: &HarborVersion) -> Result<(), PlanError> {
    let JobServiceSettingsSpec { webhooks, reaper, registry_http_client_timeout } = &spec.settings;
    let webhook_timeout = webhooks.as_ref().and_then(|webhooks| webhooks.timeout.as_ref());
    let pool = spec.worker_pool.redis_pool.as_ref();
    let exports = spec.storage.as_ref().map(|storage| &storage.scan_data_exports);
    let exports = exports.filter(|exports| **exports != ScratchVolumeSpec::default());
    (
        pool.map_or(Ok(()), |pool| check_queue(pool, POOL, version)),
        spec.cache_layer.as_ref().map_or(Ok(()), |cache| cache_understood(cache, version)),
        version.known(Feature::WebhookTimeout, "spec.webhooks.timeout", webhook_timeout),
        version.known(Feature::JobReaper, "spec.reaper", reaper.as_ref()),
        version.known(
            Feature::RegistryHttpTimeout,
            "spec.registryHttpClientTimeout",
            registry_http_client_timeout.as_ref(),
        ),
        version.not_past(Feature::ScanDataExportVolume, "spec.storage.scanDataExports", exports),
    )
        .all()
        .map(drop)
}

fn cache_understood(cache: &JobServiceCacheLayerSpec, version: &HarborVersion) -> Result<(), PlanError> {
    (
        version.require(Feature::CacheLayer, CACHE),
        version.known(Feature::SeparateRedisDatabases, format_args!("{CACHE}.database"), cache.database),
        check_redis(&cache.redis, &format!("{CACHE}.redis"), version),
    )
        .all()
        .map(drop)
}

fn redis_urls(
    spec: &JobServiceSpec,
    owner: &ObjectMeta,
    secrets: &Secrets<'_>,
) -> Result<(Queue, Option<Cache>), PlanError> {
    let pool = spec.worker_pool.redis_pool.as_ref().ok_or_else(|| {
        PlanError::invalid(POOL, "is not set", "describe the Redis database that holds the queue")
    });
    (
        pool.and_then(|pool| Queue::of(pool, POOL, owner, secrets)),
        spec.cache_layer.as_ref().map(|cache| Cache::of(cache, secrets)).transpose(),
    )
        .all()
}

impl Cache {
    /// How many seconds an idle connection stays open: the default of queues.
    const IDLE_TIMEOUT: u64 = 30;

    fn of(spec: &JobServiceCacheLayerSpec, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let url = |database| {
            let connection = RedisConnection { server: spec.redis.server.clone(), database };
            redis_url(&connection, Self::IDLE_TIMEOUT, secrets)
        };
        let (core, own) = (url(spec.redis.database), spec.database.map(url).transpose()).all()?;
        Ok(Self { core, own })
    }
}

fn served<'a>(
    spec: &'a JobServiceSpec,
    secrets: &Secrets<'_>,
) -> Result<(Option<InternalTls<'a>>, Option<Metrics<'a>>), PlanError> {
    (
        InternalTls::of(spec.tls.as_ref(), "spec.tls", secrets),
        Metrics::of(spec.metrics.as_ref(), Scheme::of(spec.tls.as_ref())),
    )
        .all()
}

fn timeouts(spec: &JobServiceSpec) -> Result<Timeouts, PlanError> {
    let JobServiceSettingsSpec { webhooks, registry_http_client_timeout, .. } = &spec.settings;
    let webhooks = webhooks.clone().unwrap_or_default();
    let units = |value: &Option<_>, unit, field| {
        value.as_ref().map(|value| whole_units(value, unit, field)).transpose()
    };
    let (webhook_tries, webhook_timeout, registry_timeout) = (
        tries(webhooks.max_retries),
        units(&webhooks.timeout, Duration::from_secs(1), "spec.webhooks.timeout"),
        units(registry_http_client_timeout, Duration::from_mins(1), "spec.registryHttpClientTimeout"),
    )
        .all()?;
    Ok(Timeouts { webhook_tries, webhook_timeout, registry_timeout })
}

fn tries(requested: Option<i32>) -> Result<Option<i32>, PlanError> {
    match requested {
        Some(tries) if tries < 1 => Err(PlanError::invalid(
            "spec.webhooks.maxRetries",
            format!("is {tries}, which JobService treats as 4"),
            "use 1 to try once",
        )),
        tries => Ok(tries),
    }
}

/// The authorities that JobService trusts: those that the user lists, and those that signed the certificates of
/// Redis.
fn authorities(spec: &JobServiceSpec) -> Authorities<'_> {
    let queue = spec.worker_pool.redis_pool.as_ref().map(|JobServiceRedisPool { connection, .. }| connection);
    let cache = spec.cache_layer.as_ref().map(|cache| &cache.redis);
    let redis = [queue, cache].into_iter().flatten().filter_map(|it| it.server.certificate_ref.as_deref());
    Authorities::new(spec.certificates.certificate_refs.iter().map(String::as_str).chain(redis))
}

/// Validates the secrets with which JobService and Core authenticate. They must not be empty.
fn shared_secrets(spec: &JobServiceSpec, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    [own_secret(spec), core_secret(spec)]
        .map(|key| secrets.checked(&key, not_empty))
        .into_iter()
        .collect::<Vec<_>>()
        .all()
        .map(drop)
}

/// The secret with which JobService authenticates.
pub(super) fn own_secret(spec: &JobServiceSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.secret_ref, "secret")
}

/// The secret with which Core authenticates.
pub(super) fn core_secret(spec: &JobServiceSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.core.secret_ref, "secret")
}
