//! Everything that Core's children are made from: its spec and the Secrets it refers to, found sound.
//!
//! All that can be wrong is found here and reported at once; what follows cannot fail.

use super::{Core, endpoints::Endpoints, keys, record::Memory, settings};
use crate::{
    certificates::{Authorities, CA_CERTIFICATE, InternalTls, pem_certificates_if_any},
    connections::{Database, RegistryLogin, redis_url},
    observability::{Metrics, trace_environment},
    pods::{Environment, Instance, Scheme},
    secrets::{SecretKey, Secrets},
    values::{not_empty, whole_seconds},
};
use api::v1beta1::{self, CoreSpec, redis::RedisConnection};
use plan::{All, Component, PlanError, World};

/// A Core that can be made.
pub(super) struct Inputs<'a> {
    /// The object, as all its children see it.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a CoreSpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// Its metrics, if there are any.
    pub metrics: Option<Metrics<'a>>,
    /// Its database.
    pub database: Database<'a>,
    /// Authorities it trusts.
    pub authorities: Authorities<'a>,
    /// URLs of its Redis databases.
    pub redis: RedisUrls,
    /// Where its traces go.
    pub trace: Environment,
    /// Where everything it talks to is.
    pub endpoints: Endpoints<'a>,
    /// Who it is to the registry.
    pub login: RegistryLogin<'a>,
    /// Further settings.
    pub settings: Environment,
    /// What is remembered of its database.
    pub memory: Memory,
}

/// URLs of the Redis databases Core uses. They hold passwords.
pub(super) struct RedisUrls {
    /// Of sessions and caches.
    pub core: String,
    /// Of everything but sessions, if it has a database of its own.
    pub harbor: Option<String>,
    /// Of the registry's cache, which Core clears when blobs are deleted and needs for every chunked upload.
    pub registry: Option<String>,
    /// Of the cache layer, if it has a database of its own.
    pub cache_layer: Option<String>,
}

impl<'a> Inputs<'a> {
    /// Reads what the spec refers to.
    pub fn read(owner: &'a v1beta1::Core, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let authorities = authorities(spec);
        let ((instance, settings), redis, tls, metrics, database, trace, endpoints, login, memory, ()) = (
            Instance::of::<Core>(&owner.metadata, &spec.component, world.defaults())
                .and_then(|core| with_settings(core, spec, &secrets)),
            redis_urls(spec, &secrets),
            InternalTls::of(spec.components.tls.as_ref(), "spec.components.tls", &secrets),
            Metrics::of(spec.metrics.as_ref(), Scheme::of(spec.components.tls.as_ref())),
            Database::of(&spec.database.connection, "spec.database", &secrets),
            trace_environment(spec.trace.as_ref(), Core::NAME, &secrets),
            Endpoints::of(spec),
            RegistryLogin::of(&spec.components.registry.access.credentials, &secrets),
            Memory::of(owner, &secrets, world),
            handed_on(spec, &authorities, &secrets),
        )
            .all()?;
        Ok(Self {
            instance,
            spec,
            tls,
            metrics,
            database,
            authorities,
            redis,
            trace,
            endpoints,
            login,
            settings,
            memory,
        })
    }

    /// How Core is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.components.tls.as_ref())
    }
}

/// The settings too, which depend on the Harbor this Core belongs to.
fn with_settings<'a>(
    core: Instance<'a>,
    spec: &CoreSpec,
    secrets: &Secrets<'_>,
) -> Result<(Instance<'a>, Environment), PlanError> {
    let settings = settings::environment(spec, &core.version, secrets)?;
    Ok((core, settings))
}

/// Whose `ca.crt` Core trusts: what the user lists, and who signed the certificates of Redis.
fn authorities(spec: &CoreSpec) -> Authorities<'_> {
    let registry = spec.components.registry.redis.as_ref();
    let redis = [Some(&spec.redis.connection), registry];
    let redis = redis.into_iter().flatten().filter_map(|redis| redis.server.certificate_ref.as_deref());
    Authorities::new(spec.certificates.certificate_refs.iter().map(String::as_str).chain(redis))
}

fn redis_urls(spec: &CoreSpec, secrets: &Secrets<'_>) -> Result<RedisUrls, PlanError> {
    let idle = whole_seconds(&spec.redis.idle_timeout, "spec.redis.idleTimeout")?;
    let registry = spec.components.registry.redis.as_ref();
    let cache_layer = settings::enabled(spec.cache_layer.as_ref()).and_then(|layer| layer.database);
    let own = |database: Option<i32>| {
        let connection =
            database.map(|database| RedisConnection { database, ..spec.redis.connection.clone() });
        connection.map(|connection| redis_url(&connection, idle, secrets)).transpose()
    };
    let (core, harbor, registry, cache_layer) = (
        redis_url(&spec.redis.connection, idle, secrets),
        own(spec.redis.harbor_database),
        registry.map(|registry| redis_url(registry, idle, secrets)).transpose(),
        own(cache_layer),
    )
        .all()?;
    Ok(RedisUrls { core, harbor, registry, cache_layer })
}

/// What pods are given as it is.
fn handed_on(spec: &CoreSpec, authorities: &Authorities<'_>, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    (shared_secrets(spec, secrets), key_files(spec, secrets), certificates(spec, authorities, secrets))
        .all()
        .map(drop)
}

/// What is mounted as it is. The authority users may download need not be there, the Secret must.
fn certificates(
    spec: &CoreSpec,
    authorities: &Authorities<'_>,
    secrets: &Secrets<'_>,
) -> Result<(), PlanError> {
    let public = spec.public_certificate_ref.as_ref().map(|secret| {
        let key = SecretKey::new(secret, CA_CERTIFICATE);
        if secrets.has(&key)? { secrets.sound(&key, pem_certificates_if_any).map(drop) } else { Ok(()) }
    });
    (authorities.check(secrets), public.unwrap_or(Ok(()))).all().map(drop)
}

/// What Core proves itself with. An empty administrator's password would be one: it lets everybody in.
fn shared_secrets(spec: &CoreSpec, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    [admin_password(spec), core_secret(spec), jobservice_secret(spec)]
        .map(|key| secrets.sound(&key, not_empty))
        .into_iter()
        .collect::<Vec<_>>()
        .all()
        .map(drop)
}

fn key_files(spec: &CoreSpec, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    let token = SecretKey::new(&spec.components.token_service.certificate_ref, keys::TOKEN_KEY);
    (secrets.sound(&token, keys::signs_tokens), secrets.sound(&csrf_key(spec), keys::protects_forms))
        .all()
        .map(drop)
}

/// The administrator's first password.
pub(super) fn admin_password(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(
        &spec.admin_initial_password_ref,
        spec.admin_initial_password_key.as_deref().unwrap_or("secret"),
    )
}

/// What other components authenticate to Core with.
pub(super) fn core_secret(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.secret_ref, "secret")
}

/// What JobService authenticates with.
pub(super) fn jobservice_secret(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.components.job_service.secret_ref, "secret")
}

/// What protects forms against cross-site requests.
pub(super) fn csrf_key(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.csrf_key_ref, "key")
}
