//! Scanners of vulnerabilities.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// The write-only field for the credential.
pub const ACCESS_CREDENTIAL: &str = "access_credential";

/// The scanner that belongs to Core, which creates and deletes it.
pub const TRIVY: &str = "Trivy";

/// A scanner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scanner {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its address in canonical form, see [`crate::registry::url`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// How Harbor logs in to it: `Basic`, `Bearer` or `X-ScannerAdapter-API-Key`; empty for not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<String>,
    /// Whether its certificate is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_cert_verify: Option<bool>,
    /// Whether it gets the internal address of the registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_internal_addr: Option<bool>,
    /// Whether it is disabled. The default cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// Whether projects without a scanner of their own use it. Another one must become the default to take
    /// this away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

/// What Harbor adds to a scanner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its identifier, a hint.
    pub uuid: String,
}

impl State for Scanner {
    type Facts = Facts;
    const COLLECTION: &'static str = "scanner";
    const WRITE_ONLY: &'static [&'static str] = &[ACCESS_CREDENTIAL];
}
