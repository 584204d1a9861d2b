//! Settings of a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborProjectMetadata {
    /// Whether everyone may pull. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,

    /// Whether images are scanned when pushed. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_scan: Option<bool>,

    /// Whether only signed images can be pulled: signed with Notary before Harbor 2.9, with Notation from 2.9 on.
    /// False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_content_trust: Option<bool>,

    /// Whether only images signed with cosign can be pulled. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_content_trust_cosign: Option<bool>,

    /// Whether vulnerable images cannot be pulled. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prevent_vulnerable: Option<bool>,

    /// Severity from which an image counts as vulnerable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HarborProjectSeverity")]
    pub severity: Option<HarborProjectSeverity>,

    /// Whether the list of allowed vulnerabilities of the whole Harbor applies. True unless set or `cveAllowList` is not empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse_sys_cve_allowlist: Option<bool>,

    /// Whether Harbor generates an SBOM when an image is pushed. Harbor 2.11 and later. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_sbom_generation: Option<bool>,

    /// Most KiB per second a proxy cache reads from its registry, -1 for no limit. Harbor 2.12 and later. Only for
    /// proxy caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1))]
    pub proxy_speed_kb: Option<i32>,

    /// Most connections of a proxy cache to its registry, -1 for no limit. Harbor 2.15 and later. Only for proxy caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1))]
    pub max_upstream_connections: Option<i32>,

    /// Whether a proxy cache serves an image it has when the registry no longer has it. Harbor 2.15.1 and later. Only
    /// for proxy caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_cache_local_on_not_found: Option<bool>,
}

/// Severity of a vulnerability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HarborProjectSeverity {
    /// Any.
    None,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical.
    Critical,
}

impl HarborProjectSeverity {
    /// The severity as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}
