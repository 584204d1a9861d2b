//! What Harbor drops without a word, or refuses without a reason.

use crate::management::Server;
use api::v1beta1::harborconfiguration::HarborConfigurationSettings;
use harbor::configurations::{ConfigurationUpdate, Key, Setting, SettingError};
use plan::{All as _, PlanError, Violation};
use serde_json::{Map, Value};

/// What the names of settings about mail begin with.
const MAIL: &str = "email_";

/// The reason of the conditions while the environment of Core overwrites all settings.
pub(super) const SETTINGS_LOCKED: &str = "SettingsLocked";

/// Settings that have no effect.
pub(super) fn advice(settings: &HarborConfigurationSettings) -> Vec<Violation> {
    let mut advice = Vec::new();
    if settings.email != <_>::default() {
        advice.push(Violation {
            subject: "spec.configuration.email*".to_owned(),
            problem: "Harbor sends no mail from 2.7 on".to_owned(),
            remedy: "remove these settings, at the latest with the upgrade to 2.7".to_owned(),
        });
    }
    if settings.auth_proxy.http_authproxy_server_certificate.is_some() {
        advice.push(Violation {
            subject: "spec.configuration.httpAuthproxyServerCertificate".to_owned(),
            problem: "has no effect".to_owned(),
            remedy: "write the certificate to httpAuthproxyServerCertificatePem".to_owned(),
        });
    }
    advice
}

/// Leaves out the settings about mail where Harbor sends none: an upgrade of Harbor must not make objects
/// invalid.
pub(super) fn leave_out_mail(settings: &mut Map<String, Value>, server: &Server) {
    let has = |name: &str| {
        let key = Key::find(name);
        server.version().is_none_or(|version| key.is_some_and(|key| key.is_writable_in(version)))
    };
    settings.retain(|name, _| !name.starts_with(MAIL) || has(name));
}

/// Refuses all settings while the environment of Core overwrites them.
pub(super) fn are_unlocked(server: &Server) -> Result<(), PlanError> {
    match server.state().and_then(|state| state.settings_locked) {
        Some(true) => Err(PlanError::Prevented {
            reason: SETTINGS_LOCKED,
            violation: Violation::new(
                "spec.configuration",
                "core.configOverwriteRef of the Harbor locks all settings (CONFIG_OVERWRITE_JSON)",
                "remove configOverwriteRef from the Harbor, or write the settings there and remove these",
            ),
        }),
        Some(false) | None => Ok(()),
    }
}

/// Refuses settings that the version does not have.
pub(super) fn are_known<'a>(
    names: impl Iterator<Item = &'a String>,
    server: &Server,
) -> Result<(), PlanError> {
    let checked = names.map(|name| {
        let key = Key::find(name);
        server.supports(&field(name), |version| key.is_some_and(|key| key.is_writable_in(version)))
    });
    checked.collect::<Vec<_>>().all().map(drop)
}

/// Refuses values that no version accepts.
pub(super) fn are_accepted(settings: &Value) -> Result<(), PlanError> {
    let checked = settings.as_object().into_iter().flatten().map(|(name, value)| {
        let setting = match value {
            Value::Bool(flag) => Setting::from(*flag),
            Value::Number(number) => Setting::from(number.as_i64().unwrap_or_default()),
            Value::String(text) => Setting::from(text.as_str()),
            // Lists and objects have been checked while they were read.
            Value::Array(_) | Value::Object(_) | Value::Null => return Ok(()),
        };
        let accepted = ConfigurationUpdate::default().set(name, setting);
        accepted.map_err(|error| PlanError::invalid(field(name), problem(&error), "correct it"))
    });
    checked.collect::<Vec<_>>().all().map(drop)
}

/// Refuses another way to log in once there are users: Harbor would refuse all settings with it.
pub(super) fn is_auth_mode_editable(
    settings: &HarborConfigurationSettings,
    server: &Server,
) -> Result<(), PlanError> {
    let (Some(wanted), Some(state)) = (&settings.auth_mode, server.state()) else { return Ok(()) };
    if *wanted == state.auth_mode || state.auth_mode_editable != Some(false) {
        return Ok(());
    }
    Err(PlanError::invalid(
        field("auth_mode"),
        format!(
            "Harbor has other users than admin, so its authentication mode {} cannot change",
            state.auth_mode
        ),
        format!("delete these users in Harbor, or write {}", state.auth_mode),
    ))
}

fn problem(error: &SettingError) -> String {
    match error {
        SettingError::Range(_, least, most) => format!("must be {least} to {most}"),
        SettingError::Choice { words, .. } => format!("must be one of {}", words.join(", ")),
        SettingError::Limit(_, problem) => problem.to_string(),
        SettingError::Empty(_) => "must not be empty".to_owned(),
        SettingError::Unknown(_) | SettingError::Unwritable(_) | SettingError::Type(..) => error.to_string(),
    }
}

/// The field of the spec for a setting.
pub(super) fn field(setting: &str) -> String {
    // Harbor's name has another meaning in the spec of the old operator.
    if setting == "http_authproxy_server_certificate" {
        return "spec.configuration.httpAuthproxyServerCertificatePem".to_owned();
    }
    let mut words = setting.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    let camel = words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_ascii_uppercase() + rest
    });
    format!("spec.configuration.{camel}")
}
