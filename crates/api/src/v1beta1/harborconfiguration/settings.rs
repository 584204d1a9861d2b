//! Settings of a running Harbor.

use super::{
    audit_log::AuditLogSettings,
    authentication::{AuthProxySettings, LdapSettings, OidcSettings, UaaSettings},
    banner::BannerMessage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of a running Harbor. What is absent keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborConfigurationSettings {
    /// How users log in: db_auth, ldap_auth, http_auth, oidc_auth or uaa_auth. Cannot change once users exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_mode: Option<String>,

    /// Whether the log-in page goes straight to the provider of `authMode`. Harbor 2.8 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_auth_mode: Option<bool>,

    /// Who may create projects: everyone or adminonly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_creation_restriction: Option<String>,

    /// Whether nothing can be written: pushes, deletions, jobs and all settings but these are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,

    /// Whether users may register themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_registration: Option<bool>,

    /// Minutes a token is valid. More than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_expiration: Option<i64>,

    /// Minutes after which Harbor ends an idle session of its pages. Harbor 2.7 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_999_999_999_i64))]
    pub session_timeout: Option<i64>,

    /// Days a robot account is valid, as Harbor's pages suggest it. More than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot_token_duration: Option<i64>,

    /// Text before the name of every robot account. A change renames all robot accounts that exist, so that pull
    /// secrets made before stop working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot_name_prefix: Option<String>,

    /// Whether webhooks are on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_enable: Option<bool>,

    /// Whether new projects have a quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_per_project_enable: Option<bool>,

    /// Quota of new projects in bytes, -1 for none. Projects that exist keep theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_per_project: Option<i64>,

    /// Whether a pull by a scanner leaves the pull time of an artifact as it is. Harbor 2.8 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scanner_skip_update_pulltime: Option<bool>,

    /// Message on top of Harbor's pages. Harbor 2.9 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banner_message: Option<BannerMessage>,

    /// What Harbor does with its audit log.
    #[serde(flatten)]
    pub audit_log: AuditLogSettings,

    /// Mail.
    #[serde(flatten)]
    pub email: EmailSettings,

    /// Log-in with LDAP.
    #[serde(flatten)]
    pub ldap: LdapSettings,

    /// Log-in with OpenID Connect.
    #[serde(flatten)]
    pub oidc: OidcSettings,

    /// Log-in through an authentication proxy.
    #[serde(flatten)]
    pub auth_proxy: AuthProxySettings,

    /// Log-in with Cloud Foundry UAA.
    #[serde(flatten)]
    pub uaa: UaaSettings,
}

/// How Harbor sends mail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailSettings {
    /// Sender. Harbor sends no mail from 2.7 on: all settings of mail are for 2.5 and 2.6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_from: Option<String>,

    /// Host of the mail server. Harbor before 2.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_host: Option<String>,

    /// Port of the mail server. Harbor before 2.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_port: Option<i64>,

    /// Identity towards the mail server. The user name unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_identity: Option<String>,

    /// User to log in as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_username: Option<String>,

    /// Secret whose key `email_password` holds the password of that user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_password: Option<String>,

    /// Whether the mail server is reached over TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_ssl: Option<bool>,

    /// Whether the mail server's certificate is not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_insecure: Option<bool>,
}
