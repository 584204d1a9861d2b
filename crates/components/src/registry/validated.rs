//! Everything that the children of the registry are made from, validated: its spec, its controller's, and the
//! Secrets that they refer to.
//!
//! All problems are reported together here, so that building the children cannot fail.

use super::{
    PORT, Registry,
    config::{self, Config},
    driver::Driver,
    files::Files,
    key_files,
    options::Options,
    settings::{self, Settings},
};
use crate::{
    certificates::{Authorities, InternalTls},
    connections::{check_registry_redis, redis_password_key},
    data::Claims,
    observability::{Metrics, trace_environment},
    pods::{Environment, Instance, Scheme, Strategy, check_autoscaling},
    registrycontroller,
    secrets::{SecretKey, Secrets},
    values::{Fault, not_empty, parse_yaml, to_yaml, whole_seconds},
};
use api::names::VERSION_ANNOTATION;
use api::v1beta1::{self, RegistrySpec, tls::ComponentsTlsSpec};
use k8s_openapi::api::core::v1::Secret;
use plan::{All, Component, ObjectKey, PlanError, World};
use serde_json::Value;

/// Variable of the registry, and key of the Secret, with which it signs state that clients keep.
pub(super) const HTTP_SECRET: &str = "REGISTRY_HTTP_SECRET";

/// A validated registry.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a RegistrySpec,
    /// The controller that runs in its pods.
    pub controller: registrycontroller::Validated<'a>,
    /// Its configuration file.
    pub config: String,
    /// Its store.
    pub driver: Driver,
    /// Secret settings, without those of the store.
    pub settings: Settings,
    /// Files, without those of the store.
    pub files: Files,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<InternalTls<'a>>,
    /// Its metrics, if they are enabled.
    pub metrics: Option<Metrics<'a>>,
    /// The authorities that it trusts.
    pub authorities: Authorities<'a>,
    /// Its controller's settings for traces.
    pub trace: Environment,
    /// The claim of its images, if there is one.
    pub claims: Claims,
    /// How its pods are replaced.
    pub strategy: Strategy,
    /// How many seconds requests may take to end when a pod terminates.
    pub drain: u64,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(
        owner: &'a v1beta1::Registry,
        controller: Result<&'a v1beta1::RegistryController, &PlanError>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let controller = controller.map_err(Clone::clone);
        let ((instance, controller), claims, written, secret, (tls, metrics, authorities), trace, strategy) =
            (
                both(owner, controller, &secrets),
                claims(owner, world),
                written(spec, &secrets),
                secret_settings(spec, &secrets),
                served(spec, &secrets),
                trace_environment(
                    spec.trace.as_ref(),
                    registrycontroller::RegistryController::NAME,
                    &secrets,
                ),
                Strategy::parse(&spec.update_strategy_type),
            )
                .all()?;
        let Written { driver, config, drain } = written;
        let (settings, files) = secret;
        Ok(Self {
            instance,
            spec,
            controller,
            config,
            driver,
            settings,
            files,
            tls,
            metrics,
            authorities,
            trace,
            strategy: claims.strategy(strategy),
            claims,
            drain,
        })
    }

    /// How the registry is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(tls(self.spec))
    }

    /// The Secret with the secret settings, if there are any.
    pub fn secret(&self) -> Option<Secret> {
        let entries = self.settings.entries().chain(self.driver.credentials.entries());
        (!self.settings.is_empty() || !self.driver.credentials.is_empty())
            .then(|| self.instance.secret(entries))
    }
}

fn claims(owner: &v1beta1::Registry, world: &World<'_>) -> Result<Claims, PlanError> {
    let filesystem = owner.spec.storage.driver.filesystem.as_ref();
    let field = || "spec.storage.driver.filesystem.volumeSource".to_owned();
    let volume = filesystem.map(|it| (field(), &it.volume_source));
    Claims::of(volume, &owner.metadata, &owner.spec.component, world)
}

/// The port and the path of the debug server, which serves the metrics.
fn metrics(spec: &RegistrySpec) -> Result<Option<Metrics<'_>>, PlanError> {
    let Some(debug) = spec.http.as_ref().and_then(|http| http.debug.as_ref()) else { return Ok(None) };
    let path = debug.prometheus.as_ref().map_or("/metrics", |prometheus| &prometheus.path);
    let services = [Scheme::Http, Scheme::Https].map(Scheme::port);
    let containers = [Scheme::Http, Scheme::Https].map(Scheme::container_port);
    let taken = services.into_iter().chain(containers).chain([PORT]);
    Metrics::served(debug.port, path, "spec.http.debug.port", taken).map(Some)
}

fn tls(spec: &RegistrySpec) -> Option<&ComponentsTlsSpec> {
    spec.http.as_ref().and_then(|http| http.tls.as_ref())
}

type Served<'a> = (Option<InternalTls<'a>>, Option<Metrics<'a>>, Authorities<'a>);

fn served<'a>(spec: &'a RegistrySpec, secrets: &Secrets<'_>) -> Result<Served<'a>, PlanError> {
    // The authority of Redis is trusted, too.
    let redis = spec.redis.as_ref().and_then(|redis| redis.connection.server.certificate_ref.as_deref());
    let listed = spec.certificates.certificate_refs.iter().map(String::as_str);
    let authorities = Authorities::new(listed.chain(redis));
    let (tls, metrics, ()) =
        (InternalTls::of(tls(spec), "spec.http.tls", secrets), metrics(spec), authorities.check(secrets))
            .all()?;
    Ok((tls, metrics, authorities))
}

struct Written {
    driver: Driver,
    config: String,
    drain: u64,
}

/// The configuration file, and what belongs to it.
fn written(spec: &RegistrySpec, secrets: &Secrets<'_>) -> Result<Written, PlanError> {
    let driver = Driver::of(&spec.storage, secrets)?;
    let config = to_yaml(&Config::of(spec, &driver)?)?;
    let http = spec.http.clone().unwrap_or_default();
    let drain = whole_seconds(&config::drain_timeout(&http), "spec.http.drainTimeout")?;
    Ok(Written { driver, config, drain })
}

/// The Registry and the RegistryController of the same name, if one pod can run both.
fn both<'a>(
    owner: &'a v1beta1::Registry,
    controller: Result<&'a v1beta1::RegistryController, PlanError>,
    secrets: &Secrets<'_>,
) -> Result<(Instance<'a>, registrycontroller::Validated<'a>), PlanError> {
    let instance = Instance::of::<Registry>(&owner.metadata, &owner.spec.component, secrets.defaults())
        .and_then(|instance| check_version(&owner.spec, instance));
    let controller =
        controller.and_then(|controller| registrycontroller::Validated::read(controller, secrets));
    let (instance, controller) = (instance, controller).all()?;
    agree(&owner.spec, &instance, &controller)?;
    Ok((instance, controller))
}

/// Refuses settings that the version of Harbor does not support.
fn check_version<'a>(spec: &RegistrySpec, instance: Instance<'a>) -> Result<Instance<'a>, PlanError> {
    if let Some(redis) = &spec.redis {
        check_registry_redis(&redis.connection, "spec.redis", &instance.version)?;
    }
    Ok(instance)
}

/// Waits until both objects agree: for another version or for TLS, a Harbor changes one object after the other,
/// and the state in between must not be rolled out.
fn agree(
    spec: &RegistrySpec,
    registry: &Instance<'_>,
    controller: &registrycontroller::Validated<'_>,
) -> Result<(), PlanError> {
    let other = ObjectKey::of::<v1beta1::RegistryController>(registry.namespace, registry.owner);
    let measured =
        check_autoscaling(registry.spec, &controller.spec.component, format_args!("{other}, spec"));
    let (ours, theirs) = (registry.annotation(VERSION_ANNOTATION), controller.version());
    let version = match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours != theirs => Err(PlanError::unsettled(
            other.clone(),
            format!(
                "has version {theirs}, and the Registry has {ours}; it runs in the same pods and must have the same"
            ),
        )),
        _ => Ok(()),
    };
    let tls = if Scheme::of(tls(spec)) == controller.scheme() {
        Ok(())
    } else {
        let why = "must have spec.tls where the Registry has spec.http.tls, and only there";
        Err(PlanError::unsettled(other, why))
    };
    (version, tls, measured).all().map(drop)
}

/// The settings that must not be in the configuration file, and files with secrets.
fn secret_settings(spec: &RegistrySpec, secrets: &Secrets<'_>) -> Result<(Settings, Files), PlanError> {
    let redis = spec.redis.as_ref().and_then(|redis| redis_password_key(&redis.connection.server));
    let (options, password, files, _) = (
        Options::of(spec, secrets),
        redis.map_or(Ok(None), |key| settings::password(&key, secrets)),
        key_files::of(spec, secrets),
        http_secret(spec).map(|key| secrets.checked(&key, is_yaml_text)).transpose(),
    )
        .all()?;
    let settings = options.settings.with_some("REGISTRY_REDIS_PASSWORD", password);
    Ok((settings, files.and(options.files)))
}

/// The key that signs state which clients keep. Pods get it unchanged, since the operator's predecessor
/// generated it as YAML.
pub(super) fn http_secret(spec: &RegistrySpec) -> Option<SecretKey<'_>> {
    let secret = spec.http.as_ref()?.secret_ref.as_ref()?;
    Some(SecretKey::new(secret, HTTP_SECRET))
}

fn is_yaml_text(value: &[u8]) -> Result<(), Fault> {
    match std::str::from_utf8(value).ok().and_then(|text| parse_yaml(text).ok()) {
        Some(Value::String(text)) => not_empty(text.as_bytes()),
        Some(Value::Number(_)) => Ok(()),
        _ => Err(Fault::new(
            "is not a text in YAML, which is how the registry reads it",
            "put it into double quotes",
        )),
    }
}
