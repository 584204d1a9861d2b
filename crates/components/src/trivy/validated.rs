//! Everything that the children of Trivy are made from, validated: its spec and the Secrets that it refers to.
//!
//! All problems are reported together here, so that building the children cannot fail.

use super::{Trivy, callers::Callers, storage::Storage};
use crate::{
    certificates::{Authorities, CA_CERTIFICATE, InternalTls, pem_certificates_if_any},
    connections::{check_redis, redis_url},
    data::Claims,
    pods::{Instance, Scheme},
    secrets::{SecretKey, Secrets},
    values::whole_seconds,
    versions::{Feature, HarborVersion},
};
use api::v1beta1::{
    self, TrivySpec,
    proxy::ProxySpec,
    trivy::{
        TrivyRedisSpec, TrivyServerSpec, TrivyStorageSpec,
        redis::{TrivyRedisJobsSpec, TrivyRedisPoolSpec},
        server::TrivyServerProxySpec,
    },
};
use plan::{All, PlanError, World};

/// A validated Trivy.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a TrivySpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// The callers that it accepts.
    pub callers: Callers<'a>,
    /// Its queue and its results.
    pub redis: Redis<'a>,
    /// Its volumes.
    pub storage: Storage<'a>,
    /// The claims of its volumes.
    pub claims: Claims,
    /// The authorities that it trusts.
    pub authorities: Authorities<'a>,
    /// Raises the limit of downloads from GitHub.
    pub github_token: Option<SecretKey<'a>>,
    /// The proxy it uses.
    pub proxy: Option<ProxySpec>,
    /// Seconds a scan may take.
    pub scan_seconds: u64,
}

/// The Redis database with Trivy's queue and results.
pub(super) struct Redis<'a> {
    /// The spec.
    pub spec: &'a TrivyRedisSpec,
    /// The queue.
    pub jobs: TrivyRedisJobsSpec,
    /// The connections.
    pub pool: TrivyRedisPoolSpec,
    /// The URL, which may contain a password.
    pub url: String,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::Trivy, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let (instance, redis, tls, (storage, claims), authorities, github_token, scan_seconds, (), callers) =
            (
                Instance::of::<Trivy>(&owner.metadata, &spec.component, world.defaults())
                    .and_then(|trivy| supported(spec, &trivy.version).map(|()| trivy)),
                Redis::read(spec.redis.as_ref(), &secrets),
                InternalTls::of(spec.server.tls.as_ref(), "spec.server.tls", &secrets),
                (Storage::of(&spec.storage), claims(owner, world)).all(),
                authorities(spec, &secrets),
                github_token(spec, &secrets),
                whole_seconds(&spec.timeout, "spec.timeout"),
                server_times(&spec.server),
                Callers::of(&spec.server, &secrets),
            )
                .all()?;
        let proxy = spec.proxy.clone().or_else(|| spec.server.proxy.as_ref().map(proxy));
        Ok(Self {
            instance,
            spec,
            tls,
            callers,
            redis,
            storage,
            claims,
            authorities,
            github_token,
            proxy,
            scan_seconds,
        })
    }

    /// How Trivy is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.server.tls.as_ref())
    }
}

fn claims(owner: &v1beta1::Trivy, world: &World<'_>) -> Result<Claims, PlanError> {
    let TrivyStorageSpec { cache, reports } = &owner.spec.storage;
    let field = |name: &str| format!("spec.storage.{name}.volumeSource");
    let volumes = [(field("reports"), &reports.volume_source), (field("cache"), &cache.volume_source)];
    Claims::of(volumes, &owner.metadata, &owner.spec.component, world)
}

impl<'a> Redis<'a> {
    fn read(spec: Option<&'a TrivyRedisSpec>, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let spec = spec.ok_or_else(|| {
            PlanError::invalid(
                "spec.redis",
                "is not set, and Trivy has nowhere else to keep its queue and its results",
                "name the host of a Redis server",
            )
        })?;
        let jobs = spec.jobs.clone().unwrap_or_default();
        let pool = spec.pool.clone().unwrap_or_default();
        let (url, ..) = (
            whole_seconds(&pool.idle_timeout, "spec.redis.pool.idleTimeout")
                .and_then(|idle| redis_url(&spec.connection, idle, secrets)),
            whole_seconds(&pool.connection_timeout, "spec.redis.pool.connectionTimeout"),
            whole_seconds(&pool.read_timeout, "spec.redis.pool.readTimeout"),
            whole_seconds(&pool.write_timeout, "spec.redis.pool.writeTimeout"),
            whole_seconds(&jobs.scan_ttl, "spec.redis.jobs.scanTTL"),
        )
            .all()?;
        Ok(Self { spec, jobs, pool, url })
    }
}

/// Refuses settings that the version of Harbor does not support.
fn supported(spec: &TrivySpec, version: &HarborVersion) -> Result<(), PlanError> {
    let redis = spec.redis.as_ref().map(|redis| &redis.connection);
    let user = redis.and_then(|redis| redis.server.username.as_ref());
    let user_behind_sentinel = user.filter(|_| {
        redis.is_some_and(|redis| redis.server.sentinel_master_set.is_some())
            && version.has(Feature::RedisUser)
    });
    let sources = &spec.sources;
    (
        redis.map_or(Ok(()), |redis| check_redis(redis, "spec.redis", version)),
        version.known(Feature::TrivySentinelUser, "spec.redis.username", user_behind_sentinel),
        version.known(Feature::TrivySecurityChecks, "spec.securityChecks", sources.security_checks.first()),
        version.known(Feature::TrivyDatabaseMirrors, "spec.dbRepository", sources.db_repository.first()),
        version.known(
            Feature::TrivyDatabaseMirrors,
            "spec.javaDbRepository",
            sources.java_db_repository.first(),
        ),
        version.known(Feature::TrivyJavaDatabase, "spec.skipJavaDBUpdate", sources.skip_java_db_update),
    )
        .all()
        .map(drop)
}

/// The authorities that Trivy trusts: those that the user lists, and those that signed the certificates of
/// Redis and of the token service. The Secret of the last may come from a public authority and need not contain
/// `ca.crt`.
fn authorities<'a>(spec: &'a TrivySpec, secrets: &Secrets<'_>) -> Result<Authorities<'a>, PlanError> {
    let redis = spec.redis.as_ref().and_then(|redis| redis.connection.server.certificate_ref.as_deref());
    let requested = || spec.certificates.certificate_refs.iter().map(String::as_str).chain(redis);
    let with_authority = |secret: &'a String| {
        let key = SecretKey::new(secret, CA_CERTIFICATE);
        let has = secrets.has(&key)?;
        if has {
            secrets.checked(&key, pem_certificates_if_any)?;
        }
        Ok(has.then_some(secret.as_str()))
    };
    let token_service = &spec.server.token_service_certificate_authority_refs;
    let ((), token_service) = (
        Authorities::new(requested()).check(secrets),
        token_service.iter().map(with_authority).collect::<Vec<_>>().all(),
    )
        .all()?;
    Ok(Authorities::new(requested().chain(token_service.into_iter().flatten())))
}

/// Trivy treats an empty token as none, so it is accepted.
fn github_token<'a>(spec: &'a TrivySpec, secrets: &Secrets<'_>) -> Result<Option<SecretKey<'a>>, PlanError> {
    let secret = spec.update.as_ref().and_then(|update| update.github_token_ref.as_deref());
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else { return Ok(None) };
    let key = SecretKey::new(secret, "github-token");
    secrets.value(&key)?;
    Ok(Some(key))
}

fn server_times(server: &TrivyServerSpec) -> Result<(), PlanError> {
    (
        whole_seconds(&server.read_timeout, "spec.server.readTimeout"),
        whole_seconds(&server.write_timeout, "spec.server.writeTimeout"),
        whole_seconds(&server.idle_timeout, "spec.server.idleTimeout"),
    )
        .all()
        .map(drop)
}

/// The proxy from the other field that may describe one.
fn proxy(spec: &TrivyServerProxySpec) -> ProxySpec {
    ProxySpec {
        http_proxy: Some(spec.url.clone()),
        https_proxy: Some(spec.url.clone()),
        no_proxy: spec.no_proxy.clone(),
    }
}
