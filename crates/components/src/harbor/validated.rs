//! A validated Harbor: its spec, and the names of its children.

use super::{
    Harbor, certificates,
    databases::{Database, RedisDatabase},
    internal_tls,
    part::Part,
    parts,
};
use crate::{
    connections::{Url, cluster_service_host, proxy_except},
    exposure::check_one_certificate,
    pods::{Scheme, check_installation_pods, network_policies_wanted},
    registrycontroller,
    versions::{Feature, HarborVersion, Mirror},
};
use api::names::{INGRESS_CONTROLLER_ANNOTATION, NETWORK_POLICIES_ANNOTATION, VERSION_ANNOTATION};
use api::v1beta1::{
    self, HarborSpec, ObjectName,
    certificates::CertificateInjection,
    component::ComponentSpec,
    harbor::storage::ObjectStoreSpec,
    installation::InstallationSpec,
    postgres::{HarborDatabaseSpec, PostgresConnection},
    proxy::{HarborProxySpec, ProxySpec},
    redis::{HarborRedisSpec, RedisConnection},
    rotation::RotationStatus,
    tls::ComponentsTlsSpec,
};
use kube::core::ObjectMeta;
use plan::{All, ChildName, Component, Defaults, ObjectKey, PlanError};
use std::collections::BTreeMap;

/// A validated Harbor.
#[derive(Clone)]
pub(super) struct Validated<'a> {
    /// Its spec.
    pub spec: &'a HarborSpec,
    /// The part of the spec that a HarborCluster has too.
    pub installation: &'a InstallationSpec,
    /// Its own name.
    pub owner: &'a str,
    /// Name of its components, and beginning of the names of all other children.
    pub name: ChildName,
    /// Namespace of all children.
    pub namespace: &'a str,
    /// Its version.
    pub version: HarborVersion,
    /// Whether the operator creates network policies.
    pub network_policies: bool,
    /// What its status says about rotations.
    pub rotations: &'a [RotationStatus],
    /// The end of the names of the Secrets with the certificates of components that are issued.
    certificates: &'static str,
    annotations: Option<&'a BTreeMap<String, String>>,
    /// The mirror of its images.
    mirror: Mirror,
}

impl<'a> Validated<'a> {
    /// Validates the spec as a whole. Components validate what they refer to.
    pub fn of(owner: &'a v1beta1::Harbor, defaults: &Defaults) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let installation = &spec.installation;
        let ObjectMeta { name, namespace, annotations, .. } = &owner.metadata;
        let own = name.as_deref().unwrap_or_default();
        let version = HarborVersion::parse_spec(&installation.version)
            .and_then(|version| supported(spec, &version).map(|()| version));
        let (version, name, ..) =
            (version, names(own), consistent(spec), check_installation_pods(installation, defaults)).all()?;
        Ok(Self {
            spec,
            installation,
            owner: own,
            name,
            namespace: namespace.as_deref().unwrap_or_default(),
            version,
            network_policies: network_policies_wanted(annotations.as_ref(), defaults),
            rotations: owner.status.as_ref().map(|status| &*status.rotations).unwrap_or_default(),
            certificates: "",
            annotations: annotations.as_ref(),
            mirror: Mirror::of(installation.image_source.as_ref(), defaults),
        })
    }

    /// The same Harbor with certificates of components in Secrets whose names end like this.
    pub fn with_certificates(self, certificates: &'static str) -> Self {
        Self { certificates, ..self }
    }

    /// The same Harbor in another version.
    pub fn at(&self, version: HarborVersion) -> Self {
        Self { version, ..self.clone() }
    }

    /// An annotation of the Harbor.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.annotations?.get(key).map(String::as_str)
    }

    /// The Harbor itself.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::of::<v1beta1::Harbor>(self.namespace, self.owner)
    }

    /// The name of a child.
    pub fn child(&self, suffix: &str) -> String {
        format!("{}-{suffix}", self.name)
    }

    /// Metadata of a child.
    pub fn metadata(&self, name: impl Into<String>) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.into()),
            namespace: Some(self.namespace.into()),
            ..ObjectMeta::default()
        }
    }

    /// Metadata of a component. The component creates no network policy of its own: those of the Harbor are
    /// more precise.
    pub fn component_metadata(&self) -> ObjectMeta {
        let annotations = [
            (NETWORK_POLICIES_ANNOTATION.to_owned(), "false".to_owned()),
            (VERSION_ANNOTATION.to_owned(), self.version.to_string()),
        ];
        ObjectMeta { annotations: Some(annotations.into()), ..self.metadata(&*self.name) }
    }

    /// Metadata of a component that users reach through an Ingress.
    pub fn exposed_metadata(&self) -> ObjectMeta {
        let mut metadata = self.component_metadata();
        if let Some(ingress) = &self.installation.expose.core.component.ingress {
            let annotations: &mut BTreeMap<_, _> = metadata.annotations.get_or_insert_default();
            annotations.insert(INGRESS_CONTROLLER_ANNOTATION.into(), ingress.controller.as_str().into());
        }
        metadata
    }

    /// The scheme between components.
    pub fn scheme(&self) -> Scheme {
        match &self.installation.internal_tls {
            Some(tls) if tls.enabled => Scheme::Https,
            _ => Scheme::Http,
        }
    }

    /// Whether nginx offers strong ciphers only, if the user sets it.
    pub fn strong_ciphers(&self) -> Option<bool> {
        self.installation.internal_tls.as_ref().and_then(|tls| tls.strong_ciphers)
    }

    /// The certificate of a component, if there is TLS between components.
    pub fn tls(&self, part: Part) -> Option<ComponentsTlsSpec> {
        let certificate = ObjectName::from(self.internal_certificate(part));
        (self.scheme() == Scheme::Https).then_some(ComponentsTlsSpec { certificate_ref: Some(certificate) })
    }

    /// The Secret that holds a component's certificate.
    pub fn internal_certificate(&self, part: Part) -> String {
        match internal_tls::given(self.installation, part) {
            Some(secret) => secret.to_string(),
            None => self.child(&certificates::of_part(part, self.certificates)),
        }
    }

    /// URL of a component inside the cluster.
    pub fn url(&self, part: Part) -> String {
        format!("{}://{}", self.scheme().as_str(), self.child(part.name()))
    }

    /// URL of a component inside the cluster, with its port.
    pub fn url_with_port(&self, part: Part) -> String {
        format!("{}:{}", self.url(part), self.scheme().port())
    }

    /// URL of the token service.
    pub fn token_service_url(&self) -> String {
        format!("{}/service/token", self.url(Part::Core))
    }

    /// The external URL, without a trailing slash: Core appends paths to it.
    pub fn external_url(&self) -> &'a str {
        self.installation.external_url.trim_end_matches('/')
    }

    /// The settings of a component's pods.
    pub fn pods(&self, part: Part, requested: Option<&ComponentSpec>) -> ComponentSpec {
        part.pods(requested, self.installation.image_source.as_ref(), &self.mirror, &self.version)
    }

    /// The authorities that a component trusts: those of the whole Harbor, and its own.
    pub fn authorities(&self, own: Option<&CertificateInjection>) -> CertificateInjection {
        let shared = &self.installation.certificates.certificate_refs;
        let mut certificate_refs = shared.clone();
        let own = own.into_iter().flat_map(|own| &own.certificate_refs);
        certificate_refs.extend(own.filter(|own| !shared.contains(own)).cloned());
        CertificateInjection { certificate_refs }
    }

    /// The Redis database for this use.
    pub fn redis(&self, database: RedisDatabase) -> RedisConnection {
        let HarborRedisSpec { server, databases } = &self.spec.redis;
        RedisConnection { server: server.clone(), database: database.index(databases.as_ref()) }
    }

    /// The PostgreSQL database for this use.
    pub fn database(&self, of: Database) -> PostgresConnection {
        // The name follows from `prefix` and `name`.
        let HarborDatabaseSpec { credentials, hosts, ssl_mode, prefix: _, name: _ } = &self.spec.database;
        let mode = ssl_mode.map(|mode| ("sslmode".to_owned(), mode.as_str().to_owned()));
        PostgresConnection {
            credentials: credentials.clone(),
            hosts: hosts.clone(),
            database: Some(of.name(&self.spec.database)),
            parameters: mode.into_iter().collect(),
        }
    }

    /// The proxy, for components that use it. They reach a store in the cluster without it: the registry
    /// redirects Core, JobService and Trivy to the store.
    pub fn proxy(&self, part: Part) -> Option<ProxySpec> {
        let HarborProxySpec { proxy, components } = self.installation.proxy.as_ref()?;
        let uses = components.iter().any(|name| name == part.name());
        let store = parts::endpoint(&self.spec.image_chart_storage)
            .and_then(|endpoint| cluster_service_host(endpoint, self.namespace));
        uses.then(|| proxy_except(proxy.clone(), store))
    }
}

/// Checks the longest names: each must be a valid name of a Service.
fn names(owner: &str) -> Result<ChildName, PlanError> {
    ChildName::of(owner, &format!("{}-{}", Harbor::NAME, Part::RegistryController.name()))?;
    ChildName::of(owner, Harbor::NAME)
}

/// Refuses what this version of Harbor does not have.
pub(super) fn supported(spec: &HarborSpec, version: &HarborVersion) -> Result<(), PlanError> {
    let InstallationSpec { chartmuseum, notary, cache_layer, jobservice, .. } = &*spec.installation;
    let layer = cache_layer.as_ref().filter(|layer| layer.enabled);
    let storage = jobservice.as_ref().and_then(|jobservice| jobservice.storage.as_ref());
    let exports = storage.and_then(|storage| storage.scan_data_exports_persistent_volume.as_ref());
    let databases = spec.redis.databases.as_ref();
    (
        version.known(Feature::ChartMuseum, "spec.chartmuseum", chartmuseum.as_ref()),
        version.known(Feature::Notary, "spec.notary", notary.as_ref()),
        version.known(Feature::CacheLayer, "spec.cacheLayer", layer),
        version.known(
            Feature::SeparateRedisDatabases,
            "spec.redis.databases.harbor",
            databases.and_then(|databases| databases.harbor),
        ),
        // All components use the same Redis, and the registry was the last to support user names.
        version.known(Feature::RegistryRedisUser, "spec.redis.username", spec.redis.server.username.as_ref()),
        version.not_past(
            Feature::ScanDataExportVolume,
            "spec.jobservice.storage.scanDataExportsPersistentVolume",
            exports,
        ),
    )
        .all()
        .map(drop)
}

/// Refuses contradictions, and settings with which components would wait forever.
fn consistent(spec: &HarborSpec) -> Result<(), PlanError> {
    let installation = &spec.installation;
    (
        notary_is_exposed(installation),
        one_store(spec),
        known_proxied(installation),
        external_url(installation),
        internal_tls::complete(installation),
        of_the_registry(installation),
        check_one_certificate(&installation.expose.core.component, "spec.expose.core"),
        installation
            .expose
            .notary
            .as_ref()
            .map_or(Ok(()), |it| check_one_certificate(it, "spec.expose.notary")),
    )
        .all()
        .map(drop)
}

fn notary_is_exposed(installation: &InstallationSpec) -> Result<(), PlanError> {
    if installation.notary.is_some() && installation.expose.notary.is_none() {
        return Err(PlanError::invalid(
            "spec.expose.notary",
            "is required when notary is set",
            "add expose.notary.ingress.host or remove notary",
        ));
    }
    Ok(())
}

fn of_the_registry(installation: &InstallationSpec) -> Result<(), PlanError> {
    match &installation.registryctl {
        Some(requested) => registrycontroller::without_pods(requested, "spec.registryctl", "spec.registry"),
        None => Ok(()),
    }
}

fn one_store(spec: &HarborSpec) -> Result<(), PlanError> {
    let ObjectStoreSpec { s3, swift, azure, gcs, oss } = &spec.image_chart_storage.object_store;
    let set = [
        spec.image_chart_storage.filesystem.is_some(),
        s3.is_some(),
        swift.is_some(),
        azure.is_some(),
        gcs.is_some(),
        oss.is_some(),
    ];
    match set.into_iter().filter(|set| *set).count() {
        1 => Ok(()),
        0 => Err(PlanError::invalid(
            "spec.imageChartStorage",
            "names no store",
            "set one of filesystem, s3, swift, azure, gcs or oss",
        )),
        _ => Err(PlanError::invalid("spec.imageChartStorage", "names several stores", "keep the one in use")),
    }
}

fn known_proxied(installation: &InstallationSpec) -> Result<(), PlanError> {
    const PROXIED: [Part; 4] = [Part::Core, Part::JobService, Part::Registry, Part::Trivy];
    let named = installation.proxy.iter().flat_map(|proxy| &proxy.components);
    let unknown = |name: &&String| !PROXIED.iter().any(|part| part.name() == *name);
    match named.into_iter().find(unknown) {
        Some(name) => Err(PlanError::invalid(
            "spec.proxy.components",
            format!("{name:?} uses no proxy"),
            "name core, jobservice, registry or trivy",
        )),
        None => Ok(()),
    }
}

/// Refuses a path: Core appends its own paths to the URL, and sets cookies for the whole host.
fn external_url(installation: &InstallationSpec) -> Result<(), PlanError> {
    const FIELD: &str = "spec.externalURL";
    let text = installation.external_url.trim_end_matches('/');
    Url::parse(text, FIELD)?;
    match text.split_once("://") {
        Some((_, host)) if host.contains('/') => Err(PlanError::invalid(
            FIELD,
            "has a path, but Harbor needs a host of its own",
            "write it like https://harbor.example.com",
        )),
        _ => Ok(()),
    }
}
