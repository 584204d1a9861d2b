//! Certificates a component trusts beyond those of its image.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Extra certificate authorities, inlined into the spec of components that call out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateInjection {
    /// Secrets whose `ca.crt` the component trusts in addition to the authorities in its image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificate_refs: Vec<String>,
}
