//! Changes of settings, checked before they are sent: Harbor drops and stores what it should refuse.

use super::{
    Configurations,
    keys::{Key, Kind, Writable},
};
use crate::{
    Secret, Version,
    resources::quotas::{NotALimit, Storage},
};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// A value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A text. It may be a secret, so it is not shown.
    Text(Secret),
    /// A flag.
    Flag(bool),
    /// A number.
    Number(i64),
}

impl From<bool> for Setting {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for Setting {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Secret> for Setting {
    fn from(text: Secret) -> Self {
        Self::Text(text)
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Flag(flag) => flag.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
        }
    }
}

/// Why a setting cannot have a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No version has the setting.
    #[error("{0} is not a setting of Harbor")]
    Unknown(String),
    /// Only the environment of Core can set it.
    #[error("{0} cannot be changed through the API")]
    Unwritable(&'static str),
    /// The value is of another type.
    #[error("{0} must be {1}")]
    Type(&'static str, &'static str),
    /// The value is out of range.
    #[error("{0} must be {1} to {2}")]
    Range(&'static str, i64, i64),
    /// The value is not an amount of storage.
    #[error("{0}: {1}")]
    Limit(&'static str, NotALimit),
    /// The value is none of the words.
    #[error("{name} must be one of {}", .words.join(", "))]
    Choice {
        /// The setting.
        name: &'static str,
        /// The words.
        words: &'static [&'static str],
    },
    /// The value is empty.
    #[error("{0} must not be empty")]
    Empty(&'static str),
}

/// Settings to change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ConfigurationUpdate(BTreeMap<&'static str, Setting>);

impl ConfigurationUpdate {
    /// Changes one more setting.
    pub fn set(&mut self, name: &str, value: impl Into<Setting>) -> Result<(), SettingError> {
        let key = Key::find(name).ok_or_else(|| SettingError::Unknown(name.to_owned()))?;
        let value = value.into();
        check(key, &value)?;
        self.0.insert(key.name, value);
        Ok(())
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of the settings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// The settings that a version does not have. It would drop them without a word.
    pub fn missing_in(&self, version: Version) -> Vec<&'static Key> {
        self.0.keys().filter_map(|name| Key::find(name)).filter(|key| !key.is_writable_in(version)).collect()
    }

    /// The settings that Harbor shows with another meaning. Passwords are not among them: Harbor does not show them.
    #[must_use]
    pub fn changes(&self, actual: &Configurations) -> Self {
        self.selected(|key, value| {
            !matches!(key.kind, Kind::Password) && !is(key, value, actual.value(key.name))
        })
    }

    /// The passwords. Whether they differ must be known from elsewhere.
    #[must_use]
    pub fn passwords(&self) -> Self {
        self.selected(|key, _| matches!(key.kind, Kind::Password))
    }

    /// The settings of both; those of `other` win.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    fn selected(&self, select: impl Fn(&Key, &Setting) -> bool) -> Self {
        let selected = |name: &str, value| Key::find(name).is_some_and(|key| select(key, value));
        let settings = self.0.iter().filter(|(name, value)| selected(name, value));
        Self(settings.map(|(name, value)| (*name, value.clone())).collect())
    }
}

fn check(key: &'static Key, value: &Setting) -> Result<(), SettingError> {
    let name = key.name;
    if key.writable == Writable::No {
        return Err(SettingError::Unwritable(name));
    }
    match (key.kind, value) {
        (Kind::Flag, Setting::Flag(_)) => Ok(()),
        (Kind::Flag, Setting::Text(_) | Setting::Number(_)) => Err(SettingError::Type(name, "true or false")),
        (Kind::Number(least, most), Setting::Number(number)) => {
            let fits = (least..=most).contains(number);
            fits.then_some(()).ok_or(SettingError::Range(name, least, most))
        }
        (Kind::Bytes, Setting::Number(number)) => {
            Storage::limit(*number).map(drop).map_err(|problem| SettingError::Limit(name, problem))
        }
        (Kind::Number(..) | Kind::Bytes, Setting::Text(_) | Setting::Flag(_)) => {
            Err(SettingError::Type(name, "a number"))
        }
        (kind, Setting::Text(text)) => check_text(name, kind, text.expose()),
        (_, Setting::Flag(_) | Setting::Number(_)) => Err(SettingError::Type(name, "a text")),
    }
}

fn check_text(name: &'static str, kind: Kind, text: &str) -> Result<(), SettingError> {
    let is_object = || serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
    let is_map = || serde_json::from_str::<BTreeMap<String, String>>(text).is_ok();
    match kind {
        Kind::NonEmptyText if text.is_empty() => Err(SettingError::Empty(name)),
        Kind::JsonText if !text.is_empty() && !is_object() => Err(SettingError::Type(name, "a JSON object")),
        Kind::Map if !is_map() => Err(SettingError::Type(name, "a JSON object of texts")),
        Kind::Choice(words) if !words.contains(&text) => Err(SettingError::Choice { name, words }),
        _ => Ok(()),
    }
}

/// Whether Harbor shows this value. JSON is compared by its meaning: Harbor writes it anew.
fn is(key: &Key, value: &Setting, shown: Option<&Value>) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (key.kind, value, shown) {
        (Kind::Map | Kind::JsonText, Setting::Text(text), Some(Value::String(shown))) => {
            text.expose() == shown || json(text.expose()).is_some_and(|value| json(shown) == Some(value))
        }
        (_, Setting::Text(text), shown) => {
            shown.map_or("", |shown| shown.as_str().unwrap_or("")) == text.expose()
        }
        (_, Setting::Flag(flag), shown) => shown.and_then(Value::as_bool) == Some(*flag),
        (_, Setting::Number(number), shown) => shown.and_then(Value::as_i64) == Some(*number),
    }
}

#[cfg(test)]
mod tests {
    use super::{ConfigurationUpdate, Configurations, Setting, SettingError};
    use crate::Version;
    use serde_json::json;

    fn update<const N: usize>(settings: [(&str, Setting); N]) -> ConfigurationUpdate {
        let mut update = ConfigurationUpdate::default();
        for (name, value) in settings {
            update.set(name, value).unwrap();
        }
        update
    }

    fn refused(name: &str, value: impl Into<Setting>) -> SettingError {
        ConfigurationUpdate::default().set(name, value).unwrap_err()
    }

    #[test]
    fn what_harbor_would_drop_or_store_wrongly_is_refused() {
        let choices: &[&str] = &["everyone", "adminonly"];
        assert_eq!(refused("no_such_key", true), SettingError::Unknown("no_such_key".into()));
        let unwritable = "pull_time_update_disable";
        assert_eq!(refused(unwritable, true), SettingError::Unwritable(unwritable));
        assert_eq!(refused("token_expiration", 0), SettingError::Range("token_expiration", 1, 9_999_999_999));
        assert_eq!(refused("token_expiration", "30"), SettingError::Type("token_expiration", "a number"));
        assert_eq!(refused("ldap_url", ""), SettingError::Empty("ldap_url"));
        let restriction = "project_creation_restriction";
        let expected = SettingError::Choice { name: restriction, words: choices };
        assert_eq!(refused(restriction, "nobody"), expected);
        assert_eq!(refused("banner_message", "hello"), SettingError::Type("banner_message", "a JSON object"));
        let extra = "oidc_extra_redirect_parms";
        assert_eq!(refused(extra, "{\"a\":1}"), SettingError::Type(extra, "a JSON object of texts"));
        assert_eq!(
            refused("storage_per_project", 0).to_string(),
            "storage_per_project: 0 is not a limit; it must be -1 for none, or 1 to 1125899906842624 bytes"
        );
    }

    #[test]
    fn only_settings_with_another_meaning_are_changes() {
        let wanted = update([
            ("oidc_extra_redirect_parms", "{\"b\": \"2\", \"a\":\"1\"}".into()),
            ("session_timeout", 90.into()),
            ("read_only", false.into()),
            ("oidc_scope", "openid".into()),
            ("uaa_client_secret", "uaa-secret-1".into()),
            ("ldap_search_password", "Secret0123".into()),
        ]);
        let shown = json!({
            "oidc_extra_redirect_parms": {"editable": true, "value": "{\"a\":\"1\",\"b\":\"2\"}"},
            "session_timeout": {"editable": true, "value": 60},
            "read_only": {"editable": true, "value": false},
            "oidc_scope": {"editable": true, "value": "openid,email"},
            "uaa_client_secret": {"editable": true, "value": "uaa-secret-1"},
        });
        let shown: Configurations = serde_json::from_value(shown).unwrap();
        let expected = update([("session_timeout", 90.into()), ("oidc_scope", "openid".into())]);
        assert_eq!(wanted.changes(&shown), expected);
        assert_eq!(wanted.passwords(), update([("ldap_search_password", "Secret0123".into())]));
    }

    #[test]
    fn an_update_tells_what_a_version_does_not_have() {
        let wanted = update([("oidc_logout", true.into()), ("read_only", true.into())]);
        let missing = |minor| {
            let missing = wanted.missing_in(Version::new(2, minor, 0));
            missing.iter().map(|key| key.name).collect::<Vec<_>>()
        };
        assert_eq!((missing(12), missing(13)), (vec!["oidc_logout"], vec![]));
    }

    #[test]
    fn an_update_is_sent_flat_and_shows_no_text() {
        let wanted = update([("oidc_client_secret", "abcdef0123456789".into()), ("ldap_scope", 2.into())]);
        let sent = serde_json::to_value(&wanted).unwrap();
        assert_eq!(sent, json!({"oidc_client_secret": "abcdef0123456789", "ldap_scope": 2}));
        assert!(!format!("{wanted:?}").contains("abcdef"));
    }
}
