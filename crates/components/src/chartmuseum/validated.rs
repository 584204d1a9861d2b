//! Everything that the children of ChartMuseum are made from, validated: its spec and the Secrets that it
//! refers to.

use super::{ChartMuseum, cache::Cache, storage::Store};
use crate::{
    certificates::{Authorities, InternalTls, pem_certificates},
    connections::check_redis,
    data::Claims,
    pods::{Instance, Scheme},
    secrets::{SecretKey, Secrets},
    values::{not_empty, whole_seconds},
    versions::Feature,
};
use api::v1beta1::{
    self, ChartMuseumSpec, GoDuration,
    chartmuseum::{ChartMuseumAuthenticationSpec, ChartMuseumServerSpec},
};
use plan::{All, PlanError, World};

/// Key of the Secret with the certificate of the token service.
pub(super) const TOKEN_CERTIFICATE: &str = "tls.crt";

/// A validated ChartMuseum.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a ChartMuseumSpec,
    /// How it is served.
    pub server: ChartMuseumServerSpec,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// The store of charts.
    pub store: Store<'a>,
    /// The claim of the store, if it has one.
    pub claims: Claims,
    /// The cache of indexes.
    pub cache: Option<Cache<'a>>,
    /// The authorities that it trusts.
    pub authorities: Authorities<'a>,
    /// Timeouts of requests.
    pub times: Times,
}

/// Timeouts of requests in seconds. ChartMuseum's defaults apply to `None`.
pub(super) struct Times {
    /// For reading a request.
    pub read: Option<u64>,
    /// For writing the response.
    pub write: Option<u64>,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::ChartMuseum, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let authorities = Authorities::new(spec.certificates.certificate_refs.iter().map(String::as_str));
        let tls = spec.server.as_ref().and_then(|server| server.tls.as_ref());
        let redis = spec.cache.as_ref().and_then(|cache| cache.redis.as_ref());
        let field = || "spec.chart.storage.filesystem.volumeSource".to_owned();
        let volume = spec.chart.storage.filesystem.as_ref().map(|it| (field(), &it.volume_source));
        let (instance, tls, store, claims, cache, times, ..) = (
            Instance::of::<ChartMuseum>(&owner.metadata, &spec.component, world.defaults())
                .and_then(|charts| charts.within(Feature::ChartMuseum))
                .and_then(|charts| {
                    redis.map_or(Ok(()), |it| check_redis(it, "spec.cache.redis", &charts.version))?;
                    Ok(charts)
                }),
            InternalTls::of(tls, "spec.server.tls", &secrets),
            Store::of(&spec.chart.storage, &secrets),
            Claims::of(volume, &owner.metadata, &spec.component, world),
            redis.map(|redis| Cache::of(redis, &secrets)).transpose(),
            times(spec),
            authorities.check(&secrets),
            authentication(spec.authentication.as_ref(), &secrets),
        )
            .all()?;
        let server = spec.server.clone().unwrap_or_default();
        Ok(Self { instance, spec, server, tls, store, claims, cache, authorities, times })
    }

    /// How ChartMuseum is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.server.tls.as_ref())
    }
}

fn times(spec: &ChartMuseumSpec) -> Result<Times, PlanError> {
    let seconds =
        |time: Option<&GoDuration>, field: &str| time.map(|it| whole_seconds(it, field)).transpose();
    let server = spec.server.as_ref();
    let tolerance = spec.chart.index.as_ref().and_then(|index| index.storage_timestamp_tolerance.as_ref());
    let (read, write, _) = (
        seconds(server.and_then(|server| server.read_timeout.as_ref()), "spec.server.readTimeout"),
        seconds(server.and_then(|server| server.write_timeout.as_ref()), "spec.server.writeTimeout"),
        seconds(tolerance, "spec.chart.index.storageTimestampTolerance"),
    )
        .all()?;
    Ok(Times { read, write })
}

/// Validates the credentials of callers. Empty credentials would give everyone access.
fn authentication(
    spec: Option<&ChartMuseumAuthenticationSpec>,
    secrets: &Secrets<'_>,
) -> Result<(), PlanError> {
    let Some(spec) = spec else { return Ok(()) };
    let bearer = spec.bearer.as_ref().map(|it| SecretKey::new(&it.certificate_ref, TOKEN_CERTIFICATE));
    let bearer = bearer.map(|key| secrets.checked(&key, pem_certificates));
    let basic = basic_auth(spec).into_iter().flatten().map(|key| secrets.checked(&key, not_empty));
    basic.chain(bearer).collect::<Vec<_>>().all().map(drop)
}

/// Name and password of callers.
pub(super) fn basic_auth(spec: &ChartMuseumAuthenticationSpec) -> Option<[SecretKey<'_>; 2]> {
    let secret = spec.basic_auth_ref.as_deref()?;
    Some(["username", "password"].map(|key| SecretKey::new(secret, key)))
}
