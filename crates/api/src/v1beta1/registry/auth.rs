//! Authentication at the registry.

use crate::v1beta1::name::ObjectName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Authentication: one of the ways to log in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryAuthenticationSpec {
    /// Users in a password file. What Harbor uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ht_passwd: Option<RegistryHtPasswdSpec>,

    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<RegistryTokenSpec>,

    /// Anything that looks like a log-in. For tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silly: Option<RegistrySillySpec>,
}

/// Users in a password file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHtPasswdSpec {
    /// Text shown when the user is asked to log in.
    pub realm: String,

    /// Secret whose key `htpasswd` holds the file.
    pub secret_ref: ObjectName,
}

/// Tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryTokenSpec {
    /// URL clients get tokens from.
    pub realm: String,

    /// Name tokens must be made out to.
    pub service: String,

    /// Name tokens must be made out by.
    pub issuer: String,

    /// Secret with the certificate tokens are signed with.
    pub certificate_ref: ObjectName,

    /// Whether clients find the realm under the host they called.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "autoredirect")]
    pub auto_redirect: Option<bool>,
}

/// Anything that looks like a log-in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrySillySpec {
    /// Text shown when the user is asked to log in.
    pub realm: String,

    /// Name of the service.
    pub service: String,
}
