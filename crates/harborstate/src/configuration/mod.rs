//! The settings of Harbor: one object, [`NAME`].

mod banner;

pub use banner::Banner;

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the only object.
pub const NAME: &str = "configuration";

/// The settings that Harbor does not show, and one that it shows although it is a secret.
pub const SECRETS: &[&str] =
    &["ldap_search_password", "oidc_client_secret", "uaa_client_secret", "email_password"];

/// The settings of Harbor, under the names that its API has. Actual state has those of its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Configuration {
    /// How users log in: `db_auth`, `ldap_auth`, `uaa_auth`, `http_auth` or `oidc_auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_mode: Option<String>,
    /// Whether the login page goes straight to the provider, from 2.8 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_auth_mode: Option<bool>,
    /// Whether users may register themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_registration: Option<bool>,
    /// Who may create projects: `everyone` or `adminonly`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_creation_restriction: Option<String>,
    /// Whether Harbor refuses changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// How many minutes a token of the registry lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_expiration: Option<i64>,
    /// How many minutes a session lives, from 2.7 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_timeout: Option<i64>,
    /// How many days a robot lives that is created in the web interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot_token_duration: Option<i64>,
    /// What the login names of robots begin with. A change invalidates all pull secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot_name_prefix: Option<String>,
    /// Whether webhooks are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notification_enable: Option<bool>,
    /// Whether projects have quotas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_per_project_enable: Option<bool>,
    /// The quota of new projects in bytes, or -1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_per_project: Option<i64>,
    /// The address of the LDAP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_url: Option<String>,
    /// Where users are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_base_dn: Option<String>,
    /// The attribute that is the user name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_uid: Option<String>,
    /// The account that searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_search_dn: Option<String>,
    /// The filter for users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_filter: Option<String>,
    /// How deep users are searched: 0, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_scope: Option<i64>,
    /// How many seconds LDAP may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_timeout: Option<i64>,
    /// Whether the certificate of LDAP is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_verify_cert: Option<bool>,
    /// Where groups are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_base_dn: Option<String>,
    /// The filter for groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_search_filter: Option<String>,
    /// How deep groups are searched: 0, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_search_scope: Option<i64>,
    /// The attribute that is the name of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_attribute_name: Option<String>,
    /// The group of administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_admin_dn: Option<String>,
    /// The attribute that names the groups of a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_membership_attribute: Option<String>,
    /// Whether groups are read in parallel, from 2.12 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ldap_group_attach_parallel: Option<bool>,
    /// The name of the OIDC provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_name: Option<String>,
    /// The address of the OIDC provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_endpoint: Option<String>,
    /// The identifier of Harbor at the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_client_id: Option<String>,
    /// The claim with the groups of a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_groups_claim: Option<String>,
    /// The group of administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_admin_group: Option<String>,
    /// A regular expression for groups, from 2.7 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_group_filter: Option<String>,
    /// The scopes to ask for, separated by commas, without blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_scope: Option<String>,
    /// The claim with the user name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_user_claim: Option<String>,
    /// Whether the certificate of the provider is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_verify_cert: Option<bool>,
    /// Whether users get their name without being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_auto_onboard: Option<bool>,
    /// More parameters for the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_extra_redirect_parms: Option<BTreeMap<String, String>>,
    /// Whether users are logged out at the provider, too, from 2.13 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_logout: Option<bool>,
    /// The address of the proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_endpoint: Option<String>,
    /// The address that reviews tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_tokenreview_endpoint: Option<String>,
    /// The groups of administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_admin_groups: Option<String>,
    /// The administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_admin_usernames: Option<String>,
    /// The certificate of the proxy, in PEM format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_server_certificate: Option<String>,
    /// Whether that certificate is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_verify_cert: Option<bool>,
    /// Whether unknown users are added without a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_authproxy_skip_search: Option<bool>,
    /// The identifier of Harbor at UAA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uaa_client_id: Option<String>,
    /// The address of UAA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uaa_endpoint: Option<String>,
    /// Whether the certificate of UAA is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uaa_verify_cert: Option<bool>,
    /// Where audit logs are sent to, from 2.6 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_log_forward_endpoint: Option<String>,
    /// Whether audit logs are only sent, not stored, from 2.6 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_audit_log_database: Option<bool>,
    /// Whether a scan is no pull, from 2.8 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scanner_skip_update_pulltime: Option<bool>,
    /// The banner, from 2.9 on; the default removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banner_message: Option<Banner>,
    /// Events that are not logged, from 2.13 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_audit_log_event_types: Option<BTreeSet<String>>,
    /// The mail server, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_host: Option<String>,
    /// The port of the mail server, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_port: Option<i64>,
    /// The account at the mail server, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_username: Option<String>,
    /// The sender of mails, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_from: Option<String>,
    /// Whether mails are sent over TLS, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_ssl: Option<bool>,
    /// Whether the certificate of the mail server is not checked, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_insecure: Option<bool>,
    /// The identity at the mail server, before 2.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_identity: Option<String>,
}

impl State for Configuration {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "configuration";
    const WRITE_ONLY: &'static [&'static str] = SECRETS;
}

/// A list that Harbor stores as it was sent, in canonical form: separated by commas, without blanks.
pub fn comma_list(text: &str) -> String {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{Banner, Configuration, comma_list};
    use serde_json::json;

    #[test]
    fn only_what_is_set_is_written() {
        let configuration = Configuration {
            read_only: Some(false),
            banner_message: Some(Banner::default()),
            oidc_scope: Some(comma_list("openid, email ,")),
            ..Configuration::default()
        };
        let expected = json!({
            "read_only": false, "oidc_scope": "openid,email",
            "banner_message": {"message": "", "type": "", "closable": false, "from_date": "", "to_date": ""},
        });
        assert_eq!(serde_json::to_value(configuration).unwrap(), expected);
    }
}
