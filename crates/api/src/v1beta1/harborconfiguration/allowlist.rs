//! Vulnerabilities that a whole Harbor allows.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Vulnerabilities that do not keep images from being pulled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CveAllowlist {
    /// The vulnerabilities, such as CVE-2021-44228. Others are removed from the list.
    pub items: Vec<String>,

    /// When the list expires. Never unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
}
