//! Every setting of every version.

use crate::version::{Span, Version};

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// The versions that have it.
    pub versions: Span,
    /// Whether an update takes it.
    pub writable: Writable,
}

/// What the value of a setting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A text that cannot be emptied again.
    NonEmptyText,
    /// A text with JSON, or none.
    JsonText,
    /// A text with a JSON object of texts.
    Map,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A flag.
    Flag,
    /// A number of at least the first and at most the second.
    Number(i64, i64),
    /// A number of bytes, or -1.
    Bytes,
    /// A text that Harbor does not show.
    Password,
}

/// Whether an update takes a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writable {
    /// It does.
    Yes,
    /// It drops it without a word; only the environment of Core can set it.
    No,
}

impl Key {
    /// The setting with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Whether an update of this version takes it. Harbor drops others without a word.
    pub fn is_writable_in(&self, version: Version) -> bool {
        self.writable == Writable::Yes && self.versions.contains(version)
    }
}

const fn key(name: &'static str, kind: Kind, versions: Span) -> Key {
    Key { name, kind, versions, writable: Writable::Yes }
}

const fn unwritable(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, versions: ALWAYS, writable: Writable::No }
}

const ALWAYS: Span = Span::ALWAYS;
const MAIL: Span = Span::before(7);
const AUTH_MODES: Kind = Kind::Choice(&["db_auth", "ldap_auth", "uaa_auth", "http_auth", "oidc_auth"]);
/// 2.5 accepts 0 minutes for tokens, and then issues none.
const DURATION: Kind = Kind::Number(1, 9_999_999_999);
const SCOPE: Kind = Kind::Number(0, 2);

/// Every setting of every version.
pub const KEYS: &[Key] = &[
    key("auth_mode", AUTH_MODES, ALWAYS),
    key("primary_auth_mode", Kind::Flag, Span::since(8, 0)),
    key("self_registration", Kind::Flag, ALWAYS),
    key("project_creation_restriction", Kind::Choice(&["everyone", "adminonly"]), ALWAYS),
    key("read_only", Kind::Flag, ALWAYS),
    key("token_expiration", DURATION, ALWAYS),
    key("session_timeout", DURATION, Span::since(7, 0)),
    key("robot_token_duration", DURATION, ALWAYS),
    key("robot_name_prefix", Kind::Text, ALWAYS),
    key("notification_enable", Kind::Flag, ALWAYS),
    key("quota_per_project_enable", Kind::Flag, ALWAYS),
    key("storage_per_project", Kind::Bytes, ALWAYS),
    key("ldap_url", Kind::NonEmptyText, ALWAYS),
    key("ldap_base_dn", Kind::NonEmptyText, ALWAYS),
    key("ldap_uid", Kind::NonEmptyText, ALWAYS),
    key("ldap_search_dn", Kind::Text, ALWAYS),
    key("ldap_search_password", Kind::Password, ALWAYS),
    key("ldap_filter", Kind::Text, ALWAYS),
    key("ldap_scope", SCOPE, ALWAYS),
    key("ldap_timeout", Kind::Number(0, i64::MAX), ALWAYS),
    key("ldap_verify_cert", Kind::Flag, ALWAYS),
    key("ldap_group_base_dn", Kind::Text, ALWAYS),
    key("ldap_group_search_filter", Kind::Text, ALWAYS),
    key("ldap_group_search_scope", SCOPE, ALWAYS),
    key("ldap_group_attribute_name", Kind::Text, ALWAYS),
    key("ldap_group_admin_dn", Kind::Text, ALWAYS),
    key("ldap_group_membership_attribute", Kind::Text, ALWAYS),
    key("ldap_group_attach_parallel", Kind::Flag, Span::since(12, 0)),
    key("oidc_name", Kind::Text, ALWAYS),
    key("oidc_endpoint", Kind::Text, ALWAYS),
    key("oidc_client_id", Kind::Text, ALWAYS),
    key("oidc_client_secret", Kind::Password, ALWAYS),
    key("oidc_groups_claim", Kind::Text, ALWAYS),
    key("oidc_admin_group", Kind::Text, ALWAYS),
    key("oidc_group_filter", Kind::Text, Span::since(7, 0)),
    key("oidc_scope", Kind::Text, ALWAYS),
    key("oidc_user_claim", Kind::Text, ALWAYS),
    key("oidc_verify_cert", Kind::Flag, ALWAYS),
    key("oidc_auto_onboard", Kind::Flag, ALWAYS),
    key("oidc_extra_redirect_parms", Kind::Map, ALWAYS),
    key("oidc_logout", Kind::Flag, Span::since(13, 0)),
    key("http_authproxy_endpoint", Kind::Text, ALWAYS),
    key("http_authproxy_tokenreview_endpoint", Kind::Text, ALWAYS),
    key("http_authproxy_admin_groups", Kind::Text, ALWAYS),
    key("http_authproxy_admin_usernames", Kind::Text, ALWAYS),
    key("http_authproxy_server_certificate", Kind::Text, ALWAYS),
    key("http_authproxy_verify_cert", Kind::Flag, ALWAYS),
    key("http_authproxy_skip_search", Kind::Flag, ALWAYS),
    key("uaa_client_id", Kind::Text, ALWAYS),
    // Harbor shows this one, so it can be compared.
    key("uaa_client_secret", Kind::Text, ALWAYS),
    key("uaa_endpoint", Kind::Text, ALWAYS),
    key("uaa_verify_cert", Kind::Flag, ALWAYS),
    key("audit_log_forward_endpoint", Kind::Text, Span::since(6, 0)),
    key("skip_audit_log_database", Kind::Flag, Span::since(6, 0)),
    key("scanner_skip_update_pulltime", Kind::Flag, Span::since(8, 0)),
    key("banner_message", Kind::JsonText, Span::since(9, 0)),
    key("disabled_audit_log_event_types", Kind::Text, Span::since(13, 0)),
    unwritable("pull_time_update_disable", Kind::Flag),
    unwritable("pull_count_update_disable", Kind::Flag),
    unwritable("pull_audit_log_disable", Kind::Flag),
    unwritable("scan_all_policy", Kind::Map),
    key("email_host", Kind::Text, MAIL),
    key("email_port", Kind::Number(1, 65535), MAIL),
    key("email_username", Kind::Text, MAIL),
    key("email_password", Kind::Password, MAIL),
    key("email_from", Kind::Text, MAIL),
    key("email_ssl", Kind::Flag, MAIL),
    key("email_insecure", Kind::Flag, MAIL),
    key("email_identity", Kind::Text, MAIL),
];

#[cfg(test)]
mod tests {
    use super::{KEYS, Key};
    use crate::Version;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_is_there_once() {
        let names: BTreeSet<_> = KEYS.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), KEYS.len());
    }

    #[test]
    fn each_version_takes_its_settings() {
        let takes =
            |minor, name| Key::find(name).is_some_and(|key| key.is_writable_in(Version::new(2, minor, 0)));
        assert!(takes(6, "email_port") && !takes(7, "email_port"));
        assert!(!takes(8, "banner_message") && takes(9, "banner_message"));
        assert!(!takes(15, "pull_time_update_disable"));
    }
}
