//! What Harbor and HarborCluster have in common: everything but database, cache and storage.

pub mod components;

use self::components::{
    HarborChartMuseumSpec, HarborCoreSpec, HarborExporterSpec, HarborJobServiceSpec, HarborNotarySpec,
    HarborPortalSpec, HarborRegistrySpec, HarborTrivySpec,
};
use super::{
    certificates::CertificateInjection,
    component::{ComponentSpec, rolling_update},
    core::CacheLayerSpec,
    expose::HarborExposeSpec,
    image::ImageSourceSpec,
    name::ObjectName,
    network::Network,
    proxy::HarborProxySpec,
    rotation::RotationSpec,
    trace::TraceSpec,
    upgrade::UpgradeSpec,
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An installation of Harbor, inlined into the specs of Harbor and HarborCluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("!has(self.notary) || has(self.expose.notary)")
    .message("expose.notary: is required when notary is set; add expose.notary.ingress.host or remove notary"))]
pub struct InstallationSpec {
    /// URL under which users reach Harbor.
    #[serde(rename = "externalURL")]
    #[schemars(regex(pattern = r"^https?://.*$"))]
    #[x_kube(validation = Rule::new("isURL(self)")
        .message("externalURL: must be a URL; write it like https://harbor.example.com"))]
    pub external_url: String,

    /// Version of Harbor, such as 2.12.0. Raise it to upgrade.
    #[schemars(regex(pattern = r"^v?[0-9]+\.[0-9]+\.[0-9]+(-[-._0-9A-Za-z]+)?$"))]
    pub version: String,

    /// What an upgrade may do without being asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<UpgradeSpec>,

    /// When the operator generates credentials anew, besides each time the annotation `goharbor.io/rotate` gets another value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<RotationSpec>,

    /// How users reach Harbor from outside the cluster.
    pub expose: HarborExposeSpec,

    /// Secret whose key `secret` holds the administrator's password. When that changes, the operator changes it in Harbor.
    pub harbor_admin_password_ref: ObjectName,

    /// Key of that Secret, where it is not `secret`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._a-zA-Z0-9]+$"))]
    pub harbor_admin_password_key: Option<String>,

    /// Whether data is kept when this object is deleted. Retain by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<DeletionPolicy>,

    /// TLS between components.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "internalTLS")]
    pub internal_tls: Option<HarborInternalTlsSpec>,

    /// Least severe messages components log. Defaults to info. Where debug would put secrets into the log it is taken for
    /// info: by Core, by the libraries of JobService, and by Trivy and the exporter while Redis has a password.
    #[serde(default)]
    pub log_level: HarborLogLevel,

    /// How pods of JobService and the registry are replaced: RollingUpdate, or Recreate. Defaults to RollingUpdate. Pods
    /// that mount a claim which only one node can mount, such as one that is ReadWriteOnce, are always replaced by
    /// Recreate.
    #[serde(default = "rolling_update")]
    pub update_strategy_type: String,

    /// Where images of components come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_source: Option<ImageSourceSpec>,

    /// Outbound proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<HarborProxySpec>,

    /// Tracing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,

    /// Certificate authorities every component trusts, each in the `ca.crt` of a Secret.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// The cache of projects, repositories, artifacts and manifests in Redis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_layer: Option<CacheLayerSpec>,

    /// The reverse proxy in front of Core and the portal. Only installed with `expose.core.service`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nginx: Option<ComponentSpec>,

    /// Core, the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<HarborCoreSpec>,

    /// JobService, which runs background jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobservice: Option<HarborJobServiceSpec>,

    /// The registry, which stores images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<HarborRegistrySpec>,

    /// The registry's controller, which runs in the registry's pods. So `replicas`, `serviceAccountName`, `nodeSelector`,
    /// `tolerations`, `templateLabels` and `templateAnnotations` have no effect here, and other settings of pods are
    /// refused: those of `registry` count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registryctl: Option<ComponentSpec>,

    /// The portal, the web pages. Not installed unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portal: Option<HarborPortalSpec>,

    /// Trivy, which scans images. Not installed unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trivy: Option<HarborTrivySpec>,

    /// The exporter of metrics. Not installed unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exporter: Option<HarborExporterSpec>,

    /// ChartMuseum, which stores charts. Not installed unless set; Harbor 2.8 and later have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chartmuseum: Option<HarborChartMuseumSpec>,

    /// Notary, which stores signatures. Not installed unless set; Harbor 2.9 and later have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notary: Option<HarborNotarySpec>,
}

/// Whether data is kept when its owner is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeletionPolicy {
    /// It stays: databases, object stores, volumes, and the key that encrypts what is in the database. An object of the
    /// same name that is created later takes it over.
    #[default]
    Retain,
    /// It is deleted too.
    Delete,
}

/// TLS between components.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborInternalTlsSpec {
    /// Whether components talk to each other over TLS. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// Certificates of components. Unless set, cert-manager or the operator issues them, for 90 days. Their authority is
    /// valid for a year from cert-manager, and for ten years from the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<InternalCertificatesSpec>,

    /// Whether nginx, in the portal and in front of `expose.core.service`, offers only ciphers with forward secrecy and 256
    /// bits for TLS 1.2. The other components choose theirs themselves. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strong_ciphers: Option<bool>,
}

/// TLS Secrets of components, one for each that is installed. Each has `tls.crt` for the name of the component's Service,
/// `tls.key`, and `ca.crt`, by which the component knows all others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InternalCertificatesSpec {
    /// Of Core, `<name>-harbor-core`. The exporter and the reverse proxy use its `ca.crt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<ObjectName>,

    /// Of JobService, `<name>-harbor-jobservice`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobservice: Option<ObjectName>,

    /// Of the registry, `<name>-harbor-registry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<ObjectName>,

    /// Of the registry's controller, `<name>-harbor-registryctl`. That of the registry unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registryctl: Option<ObjectName>,

    /// Of the portal, `<name>-harbor-portal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portal: Option<ObjectName>,

    /// Of Trivy, `<name>-harbor-trivy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trivy: Option<ObjectName>,

    /// Of ChartMuseum, `<name>-harbor-chartmuseum`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chartmuseum: Option<ObjectName>,

    /// Of the Notary server, `<name>-harbor-notaryserver`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notaryserver: Option<ObjectName>,
}

/// Severity of log messages, mapped to what each component calls it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HarborLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
    /// What ends a process.
    Fatal,
}

impl HarborLogLevel {
    /// The value as the spec spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}
