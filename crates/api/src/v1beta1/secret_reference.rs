//! References to Secrets, from the day-2 kinds.

use super::name::ObjectName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One key of a Secret in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretKeyReference {
    /// Name of the Secret.
    pub name: ObjectName,

    /// Key of the Secret. The field that holds this reference has a default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub key: Option<String>,
}

/// A Secret in the same namespace of which the operator reads keys with fixed names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretReference {
    /// Name of the Secret.
    pub name: ObjectName,
}
