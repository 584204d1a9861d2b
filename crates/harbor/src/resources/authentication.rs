//! Tests of the systems that users log in with, before `auth_mode` is changed.

use crate::{Harbor, Secret, client::Path, error::Error};
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Tests of LDAP and OIDC settings.
    pub fn authentication(&self) -> Authentication<'_> {
        Authentication { harbor: self }
    }
}

/// Tests of LDAP and OIDC settings. Harbor refuses them in read-only mode.
#[derive(Clone, Copy, Debug)]
pub struct Authentication<'h> {
    harbor: &'h Harbor,
}

impl Authentication<'_> {
    /// Logs in to LDAP with the stored settings.
    pub async fn ping_stored_ldap(&self) -> Result<LdapPing, Error> {
        // An empty object would test empty settings.
        self.harbor.post(Path::new("/ldap/ping")).json().await
    }

    /// Logs in to LDAP with these settings.
    pub async fn ping_ldap(&self, settings: &LdapSettings) -> Result<LdapPing, Error> {
        self.harbor.post(Path::new("/ldap/ping")).body(settings).json().await
    }

    /// Asks an OIDC provider for its description.
    pub async fn ping_oidc(&self, endpoint: &OidcEndpoint) -> Result<(), Error> {
        self.harbor.post(Path::new("/system/oidc/ping")).body(endpoint).done().await
    }
}

/// The result of a login to LDAP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LdapPing {
    /// Whether it worked.
    pub success: bool,
    /// Why it did not.
    pub message: String,
}

/// The settings of a login to LDAP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LdapSettings {
    /// The address of the server.
    #[serde(rename = "ldap_url")]
    pub url: String,
    /// The user that searches.
    #[serde(rename = "ldap_search_dn", skip_serializing_if = "String::is_empty")]
    pub search_dn: String,
    /// Its password.
    #[serde(rename = "ldap_search_password", skip_serializing_if = "Secret::is_empty")]
    pub search_password: Secret,
    /// Where users are searched.
    #[serde(rename = "ldap_base_dn")]
    pub base_dn: String,
    /// Which of them count.
    #[serde(rename = "ldap_filter", skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// The attribute with the user name.
    #[serde(rename = "ldap_uid")]
    pub uid: String,
    /// 0 only there, 1 one level, 2 the whole tree.
    #[serde(rename = "ldap_scope")]
    pub scope: i64,
    /// How many seconds a connection may take.
    #[serde(rename = "ldap_connection_timeout")]
    pub connection_timeout: i64,
    /// Whether the certificate is checked.
    #[serde(rename = "ldap_verify_cert")]
    pub verify_cert: bool,
}

/// The address of an OIDC provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OidcEndpoint {
    /// The address.
    pub url: String,
    /// Whether the certificate is checked.
    pub verify_cert: bool,
}
