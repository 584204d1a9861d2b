//! Everything that JobService's children are made from: its spec and the Secrets it refers to, found sound.
//!
//! All that can be wrong is found here and reported at once.

use super::{
    JobService,
    loggers::{Loggers, Whose},
    queue::{Queue, check_queue},
};
use crate::{
    certificates::{Authorities, InternalTls},
    connections::{RegistryLogin, check_redis, redis_url},
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

/// A JobService that can be made.
pub(super) struct Inputs<'a> {
    /// The object, as all its children see it.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a JobServiceSpec,
    /// The queue it works on.
    pub queue: Queue,
    /// Core's cache, if there is one.
    pub cache: Option<Cache>,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// Its metrics, if there are any.
    pub metrics: Option<Metrics<'a>>,
    /// Authorities it trusts.
    pub authorities: Authorities<'a>,
    /// Who it is to the registry.
    pub login: RegistryLogin<'a>,
    /// Where its traces go.
    pub trace: Environment,
    /// Where its own logs go.
    pub loggers: Loggers<'a>,
    /// Where the logs of jobs go.
    pub job_loggers: Loggers<'a>,
    /// Directory that exported scan results are in, within their volume.
    pub exports: Option<String>,
    /// The claims that logs and exported scan results are on.
    pub claims: Claims,
    /// How it deals with others.
    pub manners: Manners,
}

/// The cache layer that JobService shares with Core. Its URLs may hold passwords.
pub(super) struct Cache {
    /// Of Core's database.
    pub core: String,
    /// Of a database of its own.
    pub own: Option<String>,
}

/// How JobService deals with others, in Harbor's units.
pub(super) struct Manners {
    /// How its pods are replaced.
    pub strategy: Strategy,
    /// How often a webhook is tried.
    pub webhook_tries: Option<i32>,
    /// How many seconds one try may take.
    pub webhook_timeout: Option<u64>,
    /// How many minutes a request to a registry may take.
    pub registry_timeout: Option<u64>,
}

impl<'a> Inputs<'a> {
    /// Reads what the spec refers to.
    pub fn read(owner: &'a v1beta1::JobService, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let authorities = authorities(spec);
        let (
            (instance, claims),
            (queue, cache),
            (tls, metrics),
            login,
            trace,
            (loggers, job_loggers),
            exports,
            mut manners,
            ..,
        ) = (
            instance(owner, world).and_then(|it| claims(owner, &it, world).map(|claims| (it, claims))),
            redis_urls(spec, &owner.metadata, &secrets),
            served(spec, &secrets),
            RegistryLogin::of(&spec.registry.credentials, &secrets),
            trace_environment(spec.trace.as_ref(), JobService::NAME, &secrets),
            (Loggers::of(&spec.loggers, Whose::Service), Loggers::of(&spec.job_loggers, Whose::Jobs)).all(),
            exports(spec),
            manners(spec),
            shared_secrets(spec, &secrets),
            authorities.check(&secrets),
        )
            .all()?;
        manners.strategy = claims.strategy(manners.strategy);
        Ok(Self {
            instance,
            spec,
            queue,
            cache,
            tls,
            metrics,
            authorities,
            login,
            trace,
            loggers,
            job_loggers,
            exports,
            claims,
            manners,
        })
    }

    /// How JobService is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.tls.as_ref())
    }
}

/// The claims of its volumes, of which not every version has the same.
fn claims(
    owner: &v1beta1::JobService,
    instance: &Instance<'_>,
    world: &World<'_>,
) -> Result<Claims, PlanError> {
    let JobServiceSpec { loggers, job_loggers, storage, .. } = &owner.spec;
    let files =
        [(Whose::Service, loggers), (Whose::Jobs, job_loggers)].into_iter().flat_map(|(whose, it)| {
            let files = it.files.iter().flatten().enumerate();
            files.filter_map(move |(index, file)| Some((whose.field_of_volume(index), file.volume.as_ref()?)))
        });
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

/// Refuses what the Harbor this JobService belongs to does not know.
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
    /// How many seconds an unused connection stays open: as many as those of queues do unless set.
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

fn manners(spec: &JobServiceSpec) -> Result<Manners, PlanError> {
    let JobServiceSettingsSpec { webhooks, registry_http_client_timeout, .. } = &spec.settings;
    let webhooks = webhooks.clone().unwrap_or_default();
    let units = |value: &Option<_>, unit, field| {
        value.as_ref().map(|value| whole_units(value, unit, field)).transpose()
    };
    let (strategy, webhook_tries, webhook_timeout, registry_timeout) = (
        Strategy::parse(&spec.update_strategy_type),
        tries(webhooks.max_retries),
        units(&webhooks.timeout, Duration::from_secs(1), "spec.webhooks.timeout"),
        units(registry_http_client_timeout, Duration::from_mins(1), "spec.registryHttpClientTimeout"),
    )
        .all()?;
    Ok(Manners { strategy, webhook_tries, webhook_timeout, registry_timeout })
}

fn tries(wished: Option<i32>) -> Result<Option<i32>, PlanError> {
    match wished {
        Some(tries) if tries < 1 => Err(PlanError::invalid(
            "spec.webhooks.maxRetries",
            format!("is {tries}, which JobService takes for four"),
            "use 1 to try once",
        )),
        tries => Ok(tries),
    }
}

/// Whose `ca.crt` JobService trusts: what the user lists, and who signed the certificates of Redis.
fn authorities(spec: &JobServiceSpec) -> Authorities<'_> {
    let queue = spec.worker_pool.redis_pool.as_ref().map(|JobServiceRedisPool { connection, .. }| connection);
    let cache = spec.cache_layer.as_ref().map(|cache| &cache.redis);
    let redis = [queue, cache].into_iter().flatten().filter_map(|it| it.server.certificate_ref.as_deref());
    Authorities::new(spec.certificates.certificate_refs.iter().map(String::as_str).chain(redis))
}

/// What JobService proves itself with, and checks others by. An empty one would be no proof.
fn shared_secrets(spec: &JobServiceSpec, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    [own_secret(spec), core_secret(spec)]
        .map(|key| secrets.sound(&key, not_empty))
        .into_iter()
        .collect::<Vec<_>>()
        .all()
        .map(drop)
}

/// What JobService authenticates with.
pub(super) fn own_secret(spec: &JobServiceSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.secret_ref, "secret")
}

/// What Core authenticates with.
pub(super) fn core_secret(spec: &JobServiceSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.core.secret_ref, "secret")
}
