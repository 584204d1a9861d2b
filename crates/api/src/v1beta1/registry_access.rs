//! How other components reach the registry.

use super::name::ObjectName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Basic authentication against the registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryCredentials {
    /// User to log in as.
    pub username: String,

    /// Secret whose key `secret` holds the password of that user. Its key `username`, if it has one, wins over `username`.
    pub password_ref: ObjectName,
}

/// The registry and its controller, seen from another component.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryAccess {
    /// URL of the registry inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// URL of the registry controller inside the cluster.
    #[serde(rename = "controllerURL")]
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub controller_url: String,

    /// How to log in to the registry.
    pub credentials: RegistryCredentials,
}

/// The issuer of registry tokens, seen from another component.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenServiceAccess {
    /// URL of the token service, as clients inside the cluster reach it.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,
}
