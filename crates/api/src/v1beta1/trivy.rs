//! Trivy: scans images for vulnerabilities.

pub mod redis;
pub mod server;
pub mod sources;

pub use self::{redis::TrivyRedisSpec, server::TrivyServerSpec, sources::TrivySourcesSpec};

use super::{
    certificates::CertificateInjection, component::ComponentSpec, duration::GoDuration, network::Network,
    proxy::ProxySpec, status::ComponentStatus, volume::ScratchVolumeSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scans images for vulnerabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "Trivy",
    doc = "Scans images for vulnerabilities. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "trivies",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 57")
        .message("metadata.name: at most 57 characters, so that the Service <name>-trivy fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct TrivySpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Extra certificate authorities.
    #[serde(flatten)]
    pub certificates: CertificateInjection,

    /// The server Core calls.
    pub server: TrivyServerSpec,

    /// Working files.
    pub storage: TrivyStorageSpec,

    /// The Redis database of results and jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<TrivyRedisSpec>,

    /// Severities that are reported. Defaults to all: UNKNOWN, LOW, MEDIUM, HIGH and CRITICAL.
    #[serde(default = "TrivySeverity::every")]
    pub severities: Vec<TrivySeverity>,

    /// What Trivy scans: packages of the operating system (os), of the application (library). Defaults to both.
    #[serde(default = "TrivyVulnerabilityType::every")]
    pub vulnerability_types: Vec<TrivyVulnerabilityType>,

    /// How long one scan may take. Defaults to 5m0s.
    #[serde(default = "TrivySpec::default_timeout")]
    pub timeout: GoDuration,

    /// Whether scans do without requests to the internet. Defaults to false.
    #[serde(default)]
    pub offline_scan: bool,

    /// Where the vulnerability database comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<TrivyUpdateSpec>,

    /// Logging. Defaults to level info.
    #[serde(default)]
    pub log: TrivyLogSpec,

    /// Outbound proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProxySpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,

    /// Sources of databases, and what Trivy scans for.
    #[serde(flatten)]
    pub sources: TrivySourcesSpec,
}

impl TrivySpec {
    /// How long one scan may take by default.
    pub fn default_timeout() -> GoDuration {
        GoDuration::from("5m0s")
    }
}

/// How bad a vulnerability is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TrivySeverity {
    /// Not rated.
    Unknown,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical.
    Critical,
}

impl TrivySeverity {
    /// All of them.
    pub fn every() -> Vec<Self> {
        vec![Self::Unknown, Self::Low, Self::Medium, Self::High, Self::Critical]
    }

    /// The severity as Trivy spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
            Self::Critical => "CRITICAL",
        }
    }
}

/// Where a vulnerability is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrivyVulnerabilityType {
    /// In a package of the operating system.
    Os,
    /// In a package of the application.
    Library,
}

impl TrivyVulnerabilityType {
    /// All of them.
    pub fn every() -> Vec<Self> {
        vec![Self::Os, Self::Library]
    }

    /// The type as Trivy spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Os => "os",
            Self::Library => "library",
        }
    }
}

/// Working files of Trivy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyStorageSpec {
    /// The vulnerability database.
    pub cache: ScratchVolumeSpec,

    /// Reports, until Core has read them.
    pub reports: ScratchVolumeSpec,
}

/// Where the vulnerability database comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyUpdateSpec {
    /// Whether the database is never downloaded. Defaults to false.
    #[serde(default)]
    pub skip: bool,

    /// Secret whose key `github-token` holds a GitHub token, for a higher download limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github_token_ref: Option<String>,
}

/// Logging of Trivy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyLogSpec {
    /// Least severe messages that are logged. Defaults to info.
    #[serde(default)]
    pub level: TrivyLogLevel,
}

/// Severity of Trivy's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrivyLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
    /// What ends the process.
    Fatal,
    /// What crashes the process.
    Panic,
}

impl TrivyLogLevel {
    /// The level as Trivy spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
            Self::Panic => "panic",
        }
    }
}
