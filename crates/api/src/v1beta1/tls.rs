//! TLS between components.

use super::name::ObjectName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Serves a component over TLS. Its presence, even empty, turns TLS on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentsTlsSpec {
    /// TLS Secret with `tls.crt`, `tls.key` and `ca.crt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_ref: Option<ObjectName>,
}
