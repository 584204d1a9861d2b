//! The settings of Harbor.

use super::singletons::exists;
use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, shown},
};
use harbor::configurations::{ConfigurationUpdate, Configurations, KEYS, Key, Setting};
use harborstate::{
    NoFacts,
    configuration::{Banner, Configuration, NAME, SECRETS, comma_list},
};
use plan::{External, SystemError};
use serde::Deserialize as _;
use serde_json::{Map, Value};

const BANNER: &str = "banner_message";
const EVENTS: &str = "disabled_audit_log_event_types";
const SCOPE: &str = "oidc_scope";
const AUTH_MODE: &str = "auth_mode";

/// The collection `configuration`.
pub(crate) struct Settings;

impl Manage for Settings {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let settings = client.harbor.configurations().get().await.map_err(system_error)?;
        let configuration = Configuration::deserialize(Value::Object(state(&settings))).map_err(|error| {
            SystemError::Unreachable(format!("the settings of Harbor have unexpected types: {error}"))
        })?;
        Ok([(NAME.to_owned(), shown(configuration, NoFacts {})?)].into())
    }

    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(exists(&wanted.name))
    }

    /// One request for all settings, since some of them depend on each other.
    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        // An unknown type of a value is found here, not by Harbor.
        let _: Configuration = desired(wanted)?;
        let mut update = ConfigurationUpdate::default();
        for (name, value) in wanted.value.as_object().into_iter().flatten() {
            if actual.get(name) != Some(value) {
                update.set(name, setting(name, value)?).map_err(|error| refused(&error))?;
            }
        }
        for name in SECRETS {
            if let Some(secret) = crate::values::secret(wanted, name) {
                update.set(name, secret).map_err(|error| refused(&error))?;
            }
        }
        if update.is_empty() {
            return Ok(());
        }
        check(client, &update).await?;
        let sent = client.harbor.configurations().update(&update).await;
        client.harbor.forget_server_info();
        sent.map_err(system_error)
    }

    /// The settings stay as they are.
    async fn delete(_: &Client, _: &str, _: &Value) -> Result<(), SystemError> {
        Ok(())
    }
}

/// The settings in canonical form, without secrets.
fn state(settings: &Configurations) -> Map<String, Value> {
    let keys = KEYS.iter().filter(|key| !SECRETS.contains(&key.name));
    keys.filter_map(|key| Some((key.name.to_owned(), canonical(key, settings.value(key.name)?)?))).collect()
}

/// A value as it is compared: texts with lists and with JSON are parsed.
fn canonical(key: &Key, value: &Value) -> Option<Value> {
    let Some(text) = value.as_str() else { return Some(value.clone()) };
    match key.name {
        BANNER => serde_json::to_value(Banner::shown(text)).ok(),
        SCOPE => Some(comma_list(text).into()),
        EVENTS => {
            let list = comma_list(text);
            let mut events: Vec<_> = list.split(',').filter(|event| !event.is_empty()).collect();
            events.sort_unstable();
            events.dedup();
            Some(events.into())
        }
        "oidc_extra_redirect_parms" => {
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::Object(Map::new())))
        }
        _ => Some(value.clone()),
    }
}

/// A value as Harbor takes it.
fn setting(name: &str, value: &Value) -> Result<Setting, SystemError> {
    let unreadable = || rejected(format!("{name} has a value of an unknown type"), "correct the value");
    match value {
        Value::Bool(flag) => Ok((*flag).into()),
        Value::Number(number) => number.as_i64().map(Into::into).ok_or_else(unreadable),
        Value::String(text) => Ok(text.as_str().into()),
        Value::Array(words) => {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
            Ok(words.join(",").as_str().into())
        }
        Value::Object(_) if name == BANNER => {
            let banner = Banner::deserialize(value).and_then(|banner| banner.stored());
            banner.map(|text| text.as_str().into()).map_err(|_| unreadable())
        }
        Value::Object(_) => Ok(value.to_string().as_str().into()),
        Value::Null => Err(unreadable()),
    }
}

fn refused(error: &harbor::configurations::SettingError) -> SystemError {
    rejected(error.to_string(), "correct the setting")
}

/// Refuses what Harbor would drop without a word, or refuse without a reason.
async fn check(client: &Client, update: &ConfigurationUpdate) -> Result<(), SystemError> {
    let info = client.harbor.server_info().await.map_err(system_error)?;
    let missing: Vec<_> = update.missing_in(info.version).iter().map(|key| key.name).collect();
    if !missing.is_empty() {
        return Err(rejected(
            format!("Harbor {} has no setting {}", info.version, missing.join(", ")),
            "leave it out, or use a version of Harbor that has it",
        ));
    }
    let Some(settings) = &info.settings else { return Ok(()) };
    if settings.overwritten {
        return Err(rejected(
            "CONFIG_OVERWRITE_JSON in the environment of Core sets all settings",
            "remove it, or the object that describes the settings",
        ));
    }
    if update.names().any(|name| name == AUTH_MODE) && !settings.auth_mode_editable {
        return Err(rejected(
            "auth_mode cannot change, since Harbor has other users than admin",
            "delete these users, or leave auth_mode as it is",
        ));
    }
    Ok(())
}
