//! Ways to log in to a running Harbor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Log-in with LDAP.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LdapSettings {
    /// URL of the directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_url: Option<String>,

    /// Entry below which users are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_base_dn: Option<String>,

    /// Filter users must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_filter: Option<String>,

    /// How deep to look for users: 0 base, 1 one level, 2 subtree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_scope: Option<i64>,

    /// Attribute that holds the user name, such as uid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_uid: Option<String>,

    /// User that searches the directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_search_dn: Option<String>,

    /// Secret whose key `ldap_search_password` holds the password of that user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_search_password: Option<String>,

    /// Seconds an answer may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_timeout: Option<i64>,

    /// Whether the directory's certificate is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_verify_cert: Option<bool>,

    /// Entry below which groups are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_base_dn: Option<String>,

    /// Group whose members are administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_admin_dn: Option<String>,

    /// Attribute that holds the name of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_attribute_name: Option<String>,

    /// Filter groups must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_search_filter: Option<String>,

    /// How deep to look for groups: 0 base, 1 one level, 2 subtree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_search_scope: Option<i64>,

    /// Attribute of a user that lists groups, such as memberof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_membership_attribute: Option<String>,

    /// Whether Harbor reads the groups of a user in parallel. Harbor 2.12 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_attach_parallel: Option<bool>,
}

/// Log-in with OpenID Connect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OidcSettings {
    /// Name of the provider, shown on the log-in button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_name: Option<String>,

    /// URL of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_endpoint: Option<String>,

    /// Client id of Harbor at the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_client_id: Option<String>,

    /// Secret whose key `oidc_client_secret` holds the client secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_client_secret: Option<String>,

    /// Claim that lists groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_groups_claim: Option<String>,

    /// Group whose members are administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_admin_group: Option<String>,

    /// Scopes Harbor asks for, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_scope: Option<String>,

    /// Claim that holds the user name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_user_claim: Option<String>,

    /// Whether the provider's certificate is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_verify_cert: Option<bool>,

    /// Whether users get their name without being asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_auto_onboard: Option<bool>,

    /// Extra parameters of the redirect to the provider, as a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_extra_redirect_parms: Option<String>,

    /// Regular expression of the groups that Harbor takes from the claim. Empty for all. Harbor 2.7 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_group_filter: Option<String>,

    /// Whether a log-out from Harbor logs out from the provider too. Harbor 2.13 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oidc_logout: Option<bool>,
}

/// Log-in through an authentication proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthProxySettings {
    /// URL that checks passwords.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_endpoint: Option<String>,

    /// URL that checks tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_tokenreview_endpoint: Option<String>,

    /// Groups whose members are administrators, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_admin_groups: Option<String>,

    /// Users that are administrators, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_admin_usernames: Option<String>,

    /// Whether the proxy's certificate is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_verify_cert: Option<bool>,

    /// Whether users are added without being searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_skip_search: Option<bool>,

    /// Has no effect: the old operator took a switch for the proxy's certificate. Write the certificate to
    /// `httpAuthproxyServerCertificatePem`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_authproxy_server_certificate: Option<bool>,

    /// Certificate of the proxy, in PEM. Harbor calls it `http_authproxy_server_certificate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32_768))]
    pub http_authproxy_server_certificate_pem: Option<String>,
}

/// Log-in with Cloud Foundry UAA.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UaaSettings {
    /// URL of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uaa_endpoint: Option<String>,

    /// Client id of Harbor at the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uaa_client_id: Option<String>,

    /// Secret whose key `uaa_client_secret` holds the client secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uaa_client_secret: Option<String>,

    /// Whether the service's certificate is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uaa_verify_cert: Option<bool>,
}
