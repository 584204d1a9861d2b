//! Everything that the exporter's children are made from: its spec and the Secrets it refers to, found sound.
//!
//! All that can be wrong is found here and reported at once; what follows cannot fail. The exporter takes a number it
//! cannot read for zero and says nothing. Of `spec.database.encryptionKeyRef` it has no need: it decrypts nothing.

use super::Exporter;
use crate::{
    certificates::Authorities,
    connections::{Database, Url},
    jobservice::{Queue, check_queue},
    observability::Metrics,
    pods::Instance,
    secrets::Secrets,
    values::{go_duration, whole_seconds},
    versions::{Feature, HarborVersion},
};
use api::v1beta1::{
    self, ExporterSpec, GoDuration, postgres::ConnectionLifetimeSpec, redis::JobServiceRedisPool,
};
use plan::{All, PlanError, World};

/// An exporter that can be made.
pub(super) struct Inputs<'a> {
    /// The object, as all its children see it.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a ExporterSpec,
    /// Where it serves what it has read.
    pub metrics: Metrics<'a>,
    /// Core.
    pub core: Url<'a>,
    /// Core's database.
    pub database: Database<'a>,
    /// How long connections to it live.
    pub lifetime: Lifetime<'a>,
    /// JobService's queue.
    pub queue: Queue,
    /// Authorities it trusts.
    pub authorities: Authorities<'a>,
    /// What it remembers.
    pub cache: Cache,
}

/// How long connections to the database live, as Go writes it.
pub(super) struct Lifetime<'a> {
    /// At most.
    pub max: Option<&'a str>,
    /// At most while unused.
    pub idle: Option<&'a str>,
}

/// What the exporter remembers, in seconds.
pub(super) struct Cache {
    /// How long a metric is served before it is read again.
    pub duration: u64,
    /// How often outdated metrics are dropped.
    pub clean_interval: u64,
}

impl<'a> Inputs<'a> {
    /// Reads what the spec refers to.
    pub fn read(owner: &'a v1beta1::Exporter, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let endpoint = &spec.endpoint;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let ((instance, lifetime), metrics, core, database, queue, authorities, cache, ()) = (
            instance(owner, world),
            Metrics::served(endpoint.port, &endpoint.path, "spec.port", []),
            core(spec),
            database(spec, &secrets),
            pool(spec).and_then(|pool| Queue::of(pool, POOL, &owner.metadata, &secrets)),
            authorities(spec, &secrets),
            cache(spec),
            alone(spec),
        )
            .all()?;
        Ok(Self { instance, spec, metrics, core, database, lifetime, queue, authorities, cache })
    }
}

const POOL: &str = "spec.jobservice.redisPool";

fn instance<'a>(
    owner: &'a v1beta1::Exporter,
    world: &World<'_>,
) -> Result<(Instance<'a>, Lifetime<'a>), PlanError> {
    let spec = &owner.spec;
    let instance = Instance::of::<Exporter>(&owner.metadata, &spec.component, world.defaults())?;
    let (lifetime, ()) = (
        lifetime(&spec.database.lifetime, &instance.version),
        pool(spec).map_or(Ok(()), |pool| check_queue(pool, POOL, &instance.version)),
    )
        .all()?;
    Ok((instance, lifetime))
}

fn lifetime<'a>(
    spec: &'a ConnectionLifetimeSpec,
    version: &HarborVersion,
) -> Result<Lifetime<'a>, PlanError> {
    let limit = |field, limit: Option<&'a GoDuration>| {
        let known = version.known(Feature::ConnectionLifetime, field, limit)?;
        known.map(|limit| go_duration(limit, field)).transpose()
    };
    let (max, idle) = (
        limit("spec.database.connectionMaxLifetime", spec.connection_max_lifetime.as_ref()),
        limit("spec.database.connectionMaxIdleTime", spec.connection_max_idle_time.as_ref()),
    )
        .all()?;
    Ok(Lifetime { max, idle })
}

/// The exporter asks for paths of its own; one in the URL would be lost.
fn core(spec: &ExporterSpec) -> Result<Url<'_>, PlanError> {
    const FIELD: &str = "spec.core.url";
    let url = Url::parse(&spec.core.url, FIELD)?;
    match spec.core.url.splitn(4, '/').nth(3) {
        None | Some("") => Ok(url),
        Some(_) => {
            Err(PlanError::invalid(FIELD, "has a path, which the exporter does not use", "remove the path"))
        }
    }
}

/// Core has a default for a password that is not set, the exporter does not start without one.
fn database<'a>(spec: &'a ExporterSpec, secrets: &Secrets<'_>) -> Result<Database<'a>, PlanError> {
    let connection = &spec.database.connection;
    if connection.credentials.password_ref.is_none() {
        return Err(PlanError::invalid(
            "spec.database.passwordRef",
            "is not set",
            "name the Secret whose key `postgres-password` holds the password",
        ));
    }
    Database::of(connection, "spec.database", secrets)
}

fn pool(spec: &ExporterSpec) -> Result<&JobServiceRedisPool, PlanError> {
    spec.jobservice.as_ref().and_then(|jobservice| jobservice.redis_pool.as_ref()).ok_or_else(|| {
        PlanError::invalid(POOL, "is not set", "describe the Redis database that holds JobService's queue")
    })
}

/// Whose `ca.crt` the exporter trusts: what the user lists, and who signed the certificates of Core and of Redis.
fn authorities<'a>(spec: &'a ExporterSpec, secrets: &Secrets<'_>) -> Result<Authorities<'a>, PlanError> {
    let core = match &spec.tls {
        None => None,
        Some(tls) => Some(tls.certificate_ref.as_deref().ok_or_else(|| {
            PlanError::invalid(
                "spec.tls.certificateRef",
                "is not set although TLS is on",
                "name a Secret with the ca.crt that signed Core's certificate, or remove the tls block",
            )
        })?),
    };
    let redis = pool(spec).ok().and_then(|pool| pool.connection.server.certificate_ref.as_deref());
    let listed = spec.certificates.certificate_refs.iter().map(String::as_str);
    let authorities = Authorities::new(listed.chain(core).chain(redis));
    authorities.check(secrets)?;
    Ok(authorities)
}

fn cache(spec: &ExporterSpec) -> Result<Cache, PlanError> {
    let cache = spec.endpoint.cache.clone().unwrap_or_default();
    let (duration, clean_interval) = (
        whole_seconds(&cache.duration, "spec.cache.duration"),
        whole_seconds(&cache.clean_interval, "spec.cache.cleanInterval"),
    )
        .all()?;
    Ok(Cache { duration, clean_interval })
}

/// An autoscaler would only multiply the metrics.
fn alone(spec: &ExporterSpec) -> Result<(), PlanError> {
    match spec.component.autoscaling {
        None => Ok(()),
        Some(_) => Err(PlanError::invalid(
            "spec.autoscaling",
            "is set, but every pod of the exporter reports the same metrics",
            "remove it",
        )),
    }
}
