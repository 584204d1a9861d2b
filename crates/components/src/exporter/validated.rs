//! Everything that the children of the exporter are made from, validated: its spec and the Secrets that it
//! refers to.
//!
//! All problems are reported together here, so that building the children cannot fail. The exporter silently
//! reads an invalid number as zero. `spec.database.encryptionKeyRef` is not used: the exporter decrypts
//! nothing.

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

/// A validated exporter.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a ExporterSpec,
    /// Where it serves its metrics.
    pub metrics: Metrics<'a>,
    /// Core.
    pub core: Url<'a>,
    /// Core's database.
    pub database: Database<'a>,
    /// How long connections to the database live.
    pub lifetime: Lifetime<'a>,
    /// JobService's queue.
    pub queue: Queue,
    /// The authorities that it trusts.
    pub authorities: Authorities<'a>,
    /// Its cache.
    pub cache: Cache,
}

/// How long connections to the database live, in Go's syntax.
pub(super) struct Lifetime<'a> {
    /// At most.
    pub max: Option<&'a str>,
    /// At most while idle.
    pub idle: Option<&'a str>,
}

/// The exporter's cache, in seconds.
pub(super) struct Cache {
    /// How long a metric is served before it is read again.
    pub duration: u64,
    /// How often expired metrics are removed.
    pub clean_interval: u64,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
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

/// Refuses a path in the URL: the exporter would ignore it.
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

/// The exporter does not start without a password. Core has a default.
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

/// The authorities that the exporter trusts: those that the user lists, and those that signed the certificates
/// of Core and Redis.
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

/// Refuses an autoscaler, which would only multiply the metrics.
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
