//! Every setting: its type, its default, and the versions that have it.

use crate::version::Version;
use serde_json::Value;

/// A setting.
pub(crate) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    since: u8,
    until: u8,
}

/// What a setting holds, and its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text(&'static str),
    /// Once set, it cannot be emptied.
    NonEmpty(&'static str),
    Flag(bool),
    Number(i64),
    /// A number above zero and below ten digits.
    Limited(i64),
    /// 0, 1 or 2.
    Depth(i64),
    Quota,
    /// Never shown.
    Password,
    /// JSON text of an object of texts.
    Map,
    AuthMode,
    Restriction,
}

impl Kind {
    /// The Go type that the setting is read into.
    pub const fn go(self) -> &'static str {
        match self {
            Self::Text(_)
            | Self::NonEmpty(_)
            | Self::Password
            | Self::Map
            | Self::AuthMode
            | Self::Restriction => "string",
            Self::Flag(_) => "bool",
            Self::Number(_) | Self::Limited(_) | Self::Depth(_) | Self::Quota => "int64",
        }
    }

    /// The value of a setting that was never changed.
    pub fn default(self) -> Value {
        match self {
            Self::Text(text) | Self::NonEmpty(text) => text.into(),
            Self::Flag(flag) => flag.into(),
            Self::Number(number) | Self::Limited(number) | Self::Depth(number) => number.into(),
            Self::Quota => (-1).into(),
            Self::Password => "".into(),
            Self::Map => "{}".into(),
            Self::AuthMode => "db_auth".into(),
            Self::Restriction => "everyone".into(),
        }
    }

    /// Whether a value of this type fits.
    pub fn takes(self, value: &Value) -> bool {
        match self.go() {
            "bool" => value.is_boolean(),
            "int64" => value.is_i64(),
            _ => value.is_string(),
        }
    }
}

impl Key {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, since: 0, until: u8::MAX }
    }

    const fn since(mut self, minor: u8) -> Self {
        self.since = minor;
        self
    }

    const fn until(mut self, minor: u8) -> Self {
        self.until = minor;
        self
    }

    const fn text(name: &'static str) -> Self {
        Self::new(name, Kind::Text(""))
    }

    const fn flag(name: &'static str, default: bool) -> Self {
        Self::new(name, Kind::Flag(default))
    }
}

/// The settings of a version.
pub(crate) fn keys(version: Version) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| (key.since..=key.until).contains(&version.minor()))
}

/// The setting of this name, in any version.
pub(crate) fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

const KEYS: &[Key] = &[
    Key::new("auth_mode", Kind::AuthMode),
    Key::flag("primary_auth_mode", false).since(8),
    Key::flag("self_registration", false),
    Key::new("project_creation_restriction", Kind::Restriction),
    Key::flag("read_only", false),
    Key::new("token_expiration", Kind::Limited(30)),
    Key::new("session_timeout", Kind::Limited(60)).since(7),
    Key::new("robot_token_duration", Kind::Limited(30)),
    Key::new("robot_name_prefix", Kind::Text("robot$")),
    Key::flag("notification_enable", true),
    Key::flag("quota_per_project_enable", true),
    Key::new("storage_per_project", Kind::Quota),
    Key::new("ldap_url", Kind::NonEmpty("")),
    Key::new("ldap_base_dn", Kind::NonEmpty("")),
    Key::new("ldap_uid", Kind::NonEmpty("cn")),
    Key::text("ldap_search_dn"),
    Key::text("ldap_filter"),
    Key::text("ldap_group_base_dn"),
    Key::text("ldap_group_search_filter"),
    Key::text("ldap_group_attribute_name"),
    Key::text("ldap_group_admin_dn"),
    Key::new("ldap_search_password", Kind::Password),
    Key::new("ldap_scope", Kind::Depth(2)),
    Key::new("ldap_group_search_scope", Kind::Depth(2)),
    Key::new("ldap_timeout", Kind::Number(5)),
    Key::flag("ldap_verify_cert", true),
    Key::new("ldap_group_membership_attribute", Kind::Text("memberof")),
    Key::flag("ldap_group_attach_parallel", false).since(12),
    Key::text("oidc_name"),
    Key::text("oidc_endpoint"),
    Key::text("oidc_client_id"),
    Key::text("oidc_groups_claim"),
    Key::text("oidc_admin_group"),
    Key::text("oidc_scope"),
    Key::text("oidc_user_claim"),
    Key::new("oidc_client_secret", Kind::Password),
    Key::text("oidc_group_filter").since(7),
    Key::flag("oidc_verify_cert", true),
    Key::flag("oidc_auto_onboard", false),
    Key::new("oidc_extra_redirect_parms", Kind::Map),
    Key::flag("oidc_logout", false).since(13),
    Key::text("http_authproxy_endpoint"),
    Key::text("http_authproxy_tokenreview_endpoint"),
    Key::text("http_authproxy_admin_groups"),
    Key::text("http_authproxy_admin_usernames"),
    Key::text("http_authproxy_server_certificate"),
    Key::flag("http_authproxy_verify_cert", true),
    Key::flag("http_authproxy_skip_search", false),
    Key::text("uaa_client_id"),
    Key::text("uaa_endpoint"),
    // Not of the password type: it is shown.
    Key::text("uaa_client_secret"),
    Key::flag("uaa_verify_cert", false),
    Key::text("audit_log_forward_endpoint").since(6),
    Key::flag("skip_audit_log_database", false).since(6),
    Key::flag("scanner_skip_update_pulltime", false).since(8),
    Key::text("banner_message").since(9),
    Key::text("disabled_audit_log_event_types").since(13),
    Key::new("email_host", Kind::Text("smtp.mydomain.com")).until(6),
    Key::new("email_port", Kind::Number(25)).until(6),
    Key::new("email_username", Kind::Text("sample_admin@mydomain.com")).until(6),
    Key::new("email_password", Kind::Password).until(6),
    Key::new("email_from", Kind::Text("admin <sample_admin@mydomain.com>")).until(6),
    Key::flag("email_ssl", false).until(6),
    Key::flag("email_insecure", false).until(6),
    Key::text("email_identity").until(6),
];
