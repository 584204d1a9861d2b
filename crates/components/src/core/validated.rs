//! Everything that the children of Core are made from, validated: its spec and the Secrets that it refers to.
//!
//! All problems are reported together here, so that building the children cannot fail.

use super::{Core, endpoints::Endpoints, keys, record::Memory, settings};
use crate::{
    certificates::{Authorities, CA_CERTIFICATE, InternalTls, pem_certificates_if_any},
    connections::{Database, RegistryLogin, redis_url},
    management::{AdminPassword, admin_password_key},
    observability::{Metrics, trace_environment},
    pods::{Environment, Instance, Scheme},
    secrets::{SecretKey, Secrets},
    values::{not_empty, whole_seconds},
};
use api::v1beta1::{self, CoreSpec, redis::RedisConnection};
use plan::{All, Component, PlanError, World};

/// A validated Core.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a CoreSpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// Its metrics, if they are enabled.
    pub metrics: Option<Metrics<'a>>,
    /// Its database.
    pub database: Database<'a>,
    /// The authorities that it trusts.
    pub authorities: Authorities<'a>,
    /// URLs of its Redis databases.
    pub redis: RedisUrls,
    /// Its settings for traces.
    pub trace: Environment,
    /// The URLs that it uses.
    pub endpoints: Endpoints<'a>,
    /// Its credentials for the registry.
    pub login: RegistryLogin<'a>,
    /// Further settings.
    pub settings: Environment,
    /// The record of its database.
    pub memory: Memory,
    /// The password of its administrator.
    pub admin_password: AdminPassword,
    /// The image of the operator, if the operator knows it.
    pub operator_image: Option<&'a str>,
}

/// URLs of the Redis databases of Core. They contain passwords.
pub(super) struct RedisUrls {
    /// For sessions and caches.
    pub core: String,
    /// For everything but sessions, if that has a database of its own.
    pub harbor: Option<String>,
    /// For the registry's cache, from which Core removes deleted blobs and which it needs for every chunked
    /// upload.
    pub registry: Option<String>,
    /// For the cache layer, if it has a database of its own.
    pub cache_layer: Option<String>,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::Core, world: &World<'a>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let authorities = authorities(spec);
        let redis = redis_urls(spec, &secrets);
        let registry = redis.as_ref().ok().and_then(|redis| redis.registry.clone());
        let (
            (instance, settings),
            redis,
            tls,
            metrics,
            database,
            trace,
            endpoints,
            login,
            (memory, admin_password),
            (),
        ) = (
            Instance::of::<Core>(&owner.metadata, &spec.component, world.defaults())
                .and_then(|core| with_settings(core, spec, &secrets)),
            redis,
            InternalTls::of(spec.components.tls.as_ref(), "spec.components.tls", &secrets),
            Metrics::of(spec.metrics.as_ref(), Scheme::of(spec.components.tls.as_ref())),
            Database::of(&spec.database.connection, "spec.database", &secrets),
            trace_environment(spec.trace.as_ref(), Core::NAME, &secrets),
            Endpoints::of(spec),
            RegistryLogin::of(&spec.components.registry.access.credentials, &secrets),
            (Memory::of(owner, registry.as_deref(), &secrets, world), admin_password(owner, &secrets, world))
                .all(),
            check_references(spec, &authorities, &secrets),
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
            admin_password,
            operator_image: world.defaults().operator_image.as_deref(),
        })
    }

    /// How Core is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.components.tls.as_ref())
    }
}

/// Adds the settings, which depend on the version of Harbor.
fn with_settings<'a>(
    core: Instance<'a>,
    spec: &CoreSpec,
    secrets: &Secrets<'_>,
) -> Result<(Instance<'a>, Environment), PlanError> {
    let settings = settings::environment(spec, &core.version, secrets)?;
    Ok((core, settings))
}

/// The authorities that Core trusts: those that the user lists, and those that signed the certificates of
/// Redis.
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

/// Validates what pods mount or reference unchanged.
fn check_references(
    spec: &CoreSpec,
    authorities: &Authorities<'_>,
    secrets: &Secrets<'_>,
) -> Result<(), PlanError> {
    (shared_secrets(spec, secrets), key_files(spec, secrets), certificates(spec, authorities, secrets))
        .all()
        .map(drop)
}

/// Validates certificates that are mounted unchanged. The authority for downloads is optional, its Secret is
/// not.
fn certificates(
    spec: &CoreSpec,
    authorities: &Authorities<'_>,
    secrets: &Secrets<'_>,
) -> Result<(), PlanError> {
    let public = spec.public_certificate_ref.as_ref().map(|secret| {
        let key = SecretKey::new(secret, CA_CERTIFICATE);
        if secrets.has(&key)? { secrets.checked(&key, pem_certificates_if_any).map(drop) } else { Ok(()) }
    });
    (authorities.check(secrets), public.unwrap_or(Ok(()))).all().map(drop)
}

/// The administrator's password. An empty one would give everyone access.
fn admin_password(
    owner: &v1beta1::Core,
    secrets: &Secrets<'_>,
    world: &World<'_>,
) -> Result<AdminPassword, PlanError> {
    AdminPassword::of(owner, secrets.checked(&admin_password_key(&owner.spec), not_empty), world)
}

/// Validates the shared secrets.
fn shared_secrets(spec: &CoreSpec, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    [core_secret(spec), jobservice_secret(spec)]
        .map(|key| secrets.checked(&key, not_empty))
        .into_iter()
        .collect::<Vec<_>>()
        .all()
        .map(drop)
}

fn key_files(spec: &CoreSpec, secrets: &Secrets<'_>) -> Result<(), PlanError> {
    let token = SecretKey::new(&spec.components.token_service.certificate_ref, keys::TOKEN_KEY);
    (secrets.checked(&token, keys::signs_tokens), secrets.checked(&csrf_key(spec), keys::protects_forms))
        .all()
        .map(drop)
}

/// The secret with which other components authenticate to Core.
pub(super) fn core_secret(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.secret_ref, "secret")
}

/// The secret with which JobService authenticates.
pub(super) fn jobservice_secret(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.components.job_service.secret_ref, "secret")
}

/// The key that protects forms against cross-site requests.
pub(super) fn csrf_key(spec: &CoreSpec) -> SecretKey<'_> {
    SecretKey::new(&spec.csrf_key_ref, "key")
}
