//! Where Trivy's databases come from, and what Trivy scans for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sources of Trivy's databases, inlined into the specs of Trivy and of a Harbor's `trivy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivySourcesSpec {
    /// Repositories the vulnerability database is downloaded from, in this order. Harbor 2.12 and later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub db_repository: Vec<String>,

    /// Repositories the database of Java packages is downloaded from, in this order. Harbor 2.12 and later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub java_db_repository: Vec<String>,

    /// Whether the database of Java packages is never downloaded. Harbor 2.11 and later. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "skipJavaDBUpdate")]
    pub skip_java_db_update: Option<bool>,

    /// What Trivy scans for: vuln, config, secret. Only vuln by default. Harbor 2.7 and later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security_checks: Vec<TrivySecurityCheck>,
}

/// What Trivy scans for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrivySecurityCheck {
    /// Vulnerabilities.
    Vuln,
    /// Mistakes in configuration files.
    Config,
    /// Secrets in files.
    Secret,
}

impl TrivySecurityCheck {
    /// The check as Trivy spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Vuln => "vuln",
            Self::Config => "config",
            Self::Secret => "secret",
        }
    }
}
