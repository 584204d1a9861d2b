//! Where settings are kept, and what Core believes they are.

use super::keys::{key, keys};
use crate::version::Version;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};

/// How users prove who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthMode {
    Database,
    Ldap,
    Uaa,
    Http,
    Oidc,
}

impl AuthMode {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "db_auth" => Some(Self::Database),
            "ldap_auth" => Some(Self::Ldap),
            "uaa_auth" => Some(Self::Uaa),
            "http_auth" => Some(Self::Http),
            "oidc_auth" => Some(Self::Oidc),
            _ => None,
        }
    }
}

/// The settings.
#[derive(Clone, Default)]
pub(crate) struct Configuration {
    stored: BTreeMap<String, Value>,
    /// Values of refused changes. They stay in the memory of Core, and are shown as if they had been stored.
    refused: BTreeMap<String, Value>,
    /// What Core still believes until its cache expires.
    cached: Option<(BTreeMap<String, Value>, Timestamp)>,
}

impl Configuration {
    /// The value of a setting as Core believes it to be.
    pub fn get(&self, name: &str, now: Timestamp) -> Value {
        let stored = match &self.cached {
            Some((values, until)) if now < *until => values,
            _ => &self.stored,
        };
        let value = self.refused.get(name).or_else(|| stored.get(name)).cloned();
        value.or_else(|| key(name).map(|key| key.kind.default())).unwrap_or_default()
    }

    pub fn flag(&self, name: &str, now: Timestamp) -> bool {
        self.get(name, now).as_bool().unwrap_or_default()
    }

    pub fn number(&self, name: &str, now: Timestamp) -> i64 {
        self.get(name, now).as_i64().unwrap_or_default()
    }

    pub fn text(&self, name: &str, now: Timestamp) -> String {
        self.get(name, now).as_str().map(str::to_owned).unwrap_or_default()
    }

    pub fn auth_mode(&self, now: Timestamp) -> AuthMode {
        AuthMode::named(&self.text("auth_mode", now)).unwrap_or(AuthMode::Database)
    }

    /// What stands before the name of every robot.
    pub fn robot_prefix(&self, now: Timestamp) -> String {
        self.text("robot_name_prefix", now)
    }

    /// Every setting of a version with its value.
    pub fn all(&self, version: Version, now: Timestamp) -> BTreeMap<&'static str, Value> {
        keys(version).map(|key| (key.name, self.get(key.name, now))).collect()
    }

    /// Stores values. Core goes on believing the old ones for a while.
    pub fn store(&mut self, values: BTreeMap<String, Value>, now: Timestamp, lag: Duration) {
        let lag = SignedDuration::try_from(lag).unwrap_or(SignedDuration::ZERO);
        match now.checked_add(lag) {
            Ok(until) if until > now => {
                let believed = match self.cached.take() {
                    Some((values, until)) if now < until => values,
                    _ => self.stored.clone(),
                };
                self.cached = Some((believed, until));
            }
            _ => self.cached = None,
        }
        for name in values.keys() {
            self.refused.remove(name);
        }
        self.stored.extend(values);
    }

    /// Remembers a value that was refused after Core had put it into its memory.
    pub fn remember_refused(&mut self, name: &str, value: Value) {
        self.refused.insert(name.to_owned(), value);
    }

    /// Forgets refused values, as a restart does.
    pub fn forget_refused(&mut self) {
        self.refused.clear();
        self.cached = None;
    }
}

#[cfg(test)]
mod tests {
    use super::Configuration;
    use jiff::Timestamp;
    use std::{collections::BTreeMap, time::Duration};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_change_is_believed_when_the_cache_expires() {
        let mut configuration = Configuration::default();
        let read_only = |value: bool| BTreeMap::from([("read_only".to_owned(), value.into())]);
        configuration.store(read_only(true), at(0), Duration::from_mins(1));
        let believed = [0, 59, 60].map(|second| configuration.flag("read_only", at(second)));
        assert_eq!(believed, [false, false, true]);
        configuration.store(read_only(false), at(70), Duration::ZERO);
        assert!(!configuration.flag("read_only", at(70)));
    }
}
