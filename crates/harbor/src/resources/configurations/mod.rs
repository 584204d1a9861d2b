//! The settings of Harbor.

mod keys;
mod update;

pub use keys::{KEYS, Key, Kind, Writable};
pub use update::{ConfigurationUpdate, Setting, SettingError};

use crate::{Harbor, client::Path, error::Error, error::message::is_secret};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

impl Harbor {
    /// The settings of Harbor. Only for administrators, never for robots.
    pub fn configurations(&self) -> ConfigurationCalls<'_> {
        ConfigurationCalls { harbor: self }
    }
}

/// Calls about the settings.
#[derive(Clone, Copy, Debug)]
pub struct ConfigurationCalls<'h> {
    harbor: &'h Harbor,
}

const CONFIGURATIONS: &str = "/configurations";

impl ConfigurationCalls<'_> {
    /// All settings but passwords. After a failed update, a refused value may be among them.
    pub async fn get(&self) -> Result<Configurations, Error> {
        self.harbor.get(Path::new(CONFIGURATIONS)).json().await
    }

    /// Changes settings: all of them, or none if one is refused. The others stay. A replica of Core may use the old ones
    /// for another minute.
    ///
    /// Harbor allows this in read-only mode, too.
    pub async fn update(&self, update: &ConfigurationUpdate) -> Result<(), Error> {
        self.harbor.put(Path::new(CONFIGURATIONS)).body(update).done().await
    }
}

/// The settings as Harbor shows them.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Configurations(BTreeMap<String, Item>);

#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Item {
    value: Value,
    editable: bool,
}

impl Configurations {
    /// The value of a setting.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.0.get(key).map(|item| &item.value).filter(|value| !value.is_null())
    }

    /// The value of a setting that is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value(key)?.as_str()
    }

    /// The value of a setting that is a flag.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.value(key)?.as_bool()
    }

    /// The value of a setting that is a number.
    pub fn number(&self, key: &str) -> Option<i64> {
        self.value(key)?.as_i64()
    }

    /// Whether a setting may be changed. None may if the environment of Core overwrites them; `auth_mode` may not if
    /// there are users.
    pub fn is_editable(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|item| item.editable)
    }
}

impl fmt::Debug for Configurations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = Value::from("…");
        let shown = |key: &str, item: &Item| if is_secret(key) { hidden.clone() } else { item.value.clone() };
        f.debug_map().entries(self.0.iter().map(|(key, item)| (key, shown(key, item)))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Configurations;
    use serde_json::json;

    #[test]
    fn a_setting_without_a_value_is_none() {
        let configurations = json!({
            "scan_all_policy": {}, "read_only": {"editable": true, "value": false},
            "token_expiration": {"editable": false, "value": 30},
        });
        let configurations: Configurations = serde_json::from_value(configurations).unwrap();
        assert_eq!(configurations.value("scan_all_policy"), None);
        assert_eq!(configurations.flag("read_only"), Some(false));
        assert_eq!(configurations.number("token_expiration"), Some(30));
        assert!(configurations.is_editable("read_only") && !configurations.is_editable("token_expiration"));
    }

    #[test]
    fn a_secret_that_harbor_shows_is_not_shown_again() {
        let configurations = json!({"uaa_client_secret": {"editable": true, "value": "uaa-secret-1"}});
        let configurations: Configurations = serde_json::from_value(configurations).unwrap();
        assert_eq!(format!("{configurations:?}"), r#"{"uaa_client_secret": String("…")}"#);
    }
}
