//! Changing settings: all of a request, or none.

use super::{
    keys::{Kind, keys},
    number::quota_problem,
    store::AuthMode,
};
use crate::{
    call::Call,
    failure::Failure,
    network::Answer,
    rest::{Decode, Place, Reply, syntax_error},
    version::Change,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The largest number of a limited setting.
const LARGEST: i64 = 9_999_999_999;

/// The body of a change: any object. Types are checked once the version is known.
#[derive(Default)]
struct Wanted(Map<String, Value>);

impl Decode for Wanted {
    const GO: &'static str = "models.Configurations";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        value.as_object().cloned().map(Self).ok_or_else(|| place.mismatch(value, Self::GO))
    }
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: Wanted = call.body("configurations")?;
    let values = typed(call, &wanted)?;
    call.on_system("configuration", "update")?;
    if call.runtime.installation.configuration_overwrite.is_some() {
        return Err(Failure::forbidden(
            "current config is init by env variable: CONFIG_OVERWRITE_JSON, it cannot be updated",
        ));
    }
    let values = checked(call, values)?;
    check_together(call, &values)?;
    check_audit_endpoint(call, &values)?;
    let lag = call.runtime.configuration_lag;
    call.data.configuration.store(values, call.now, lag);
    let name = call.identity.name().to_owned();
    call.data.log(&name, "update", "configuration", "", call.now);
    Ok(Reply::done())
}

/// The settings of this version that the body holds. Unknown ones and null are left out.
fn typed(call: &Call<'_>, wanted: &Wanted) -> Result<BTreeMap<String, Value>, Failure> {
    let mut values = BTreeMap::new();
    for key in keys(call.version()) {
        match wanted.0.get(key.name) {
            None | Some(Value::Null) => {}
            Some(value) if key.kind.takes(value) => {
                values.insert(key.name.to_owned(), value.clone());
            }
            Some(value) => {
                let place = Place::default().field("Configurations", key.name);
                let problem = place.mismatch(value, key.kind.go());
                return Err(Failure::unprocessable(&format!(
                    "parsing configurations body from \"\" failed, because {problem}"
                )));
            }
        }
    }
    Ok(values)
}

/// Every value by itself, as it is stored.
fn checked(call: &Call<'_>, values: BTreeMap<String, Value>) -> Result<BTreeMap<String, Value>, Failure> {
    let item =
        |name: &str, problem: &str| Failure::bad_request(format!("bad request: item name {name}: {problem}"));
    let mut stored = BTreeMap::new();
    for key in keys(call.version()) {
        let Some(mut value) = values.get(key.name).cloned() else { continue };
        let text = value.as_str().unwrap_or_default();
        let number = value.as_i64().unwrap_or_default();
        match key.kind {
            Kind::NonEmpty(_) if text.is_empty() => {
                return Err(item(key.name, "the configure value can not be empty"));
            }
            Kind::Limited(_) => check_limits(call, key.name, number)?,
            Kind::Depth(_) if !(0..=2).contains(&number) => {
                return Err(item(key.name, "invalid scope, should be 0, 1 or 2"));
            }
            Kind::Quota => {
                let older = "item name storage_per_project: quota value should be -1 or great than zero";
                if let Some(problem) = quota_problem(number, call.version(), older) {
                    return Err(Failure::bad_request(format!("bad request: {problem}")));
                }
            }
            Kind::Map => value = map(text).map_err(|problem| item(key.name, &problem))?.into(),
            Kind::AuthMode if AuthMode::named(text).is_none() => {
                let problem =
                    "invalid auth_mode, shoud be one of db_auth, ldap_auth, uaa_auth, http_auth, oidc_auth";
                return Err(item(key.name, problem));
            }
            Kind::AuthMode => {
                let changes = call.data.configuration.text("auth_mode", call.now) != text;
                if changes && call.data.has_other_users() {
                    return Err(Failure::bad_request(
                        "the auth mode cannot be modified as new users have been inserted into database",
                    ));
                }
            }
            Kind::Restriction if !["everyone", "adminonly"].contains(&text) => {
                let problem = "invalid project_creation_restriction, should be adminonly or everyone";
                return Err(item(key.name, problem));
            }
            Kind::Text(_)
            | Kind::NonEmpty(_)
            | Kind::Flag(_)
            | Kind::Number(_)
            | Kind::Depth(_)
            | Kind::Password
            | Kind::Restriction => {}
        }
        stored.insert(key.name.to_owned(), value);
    }
    Ok(stored)
}

fn check_limits(call: &Call<'_>, name: &str, number: i64) -> Result<(), Failure> {
    if !call.has(Change::LimitsNumbers) {
        return Ok(());
    }
    if number <= 0 {
        return Err(Failure::bad_request(format!("the {name} value must be positive")));
    }
    if number > LARGEST {
        return Err(Failure::bad_request(format!("the {name} value is over the limit value: {LARGEST}")));
    }
    Ok(())
}

/// An object of texts, with sorted keys and without spaces.
fn map(text: &str) -> Result<String, String> {
    let parsed: Value = serde_json::from_str(text).map_err(|_| syntax_error(text))?;
    let parsed: BTreeMap<String, String> = Decode::decode(&parsed, &Place::default())?;
    Ok(serde_json::to_string(&parsed).unwrap_or_default())
}

/// Settings that depend on each other, stored ones included.
fn check_together(call: &Call<'_>, values: &BTreeMap<String, Value>) -> Result<(), Failure> {
    let resulting = |name: &str| -> String {
        let changed = values.get(name).and_then(Value::as_str).map(str::to_owned);
        changed.unwrap_or_else(|| call.data.configuration.text(name, call.now))
    };
    if values.keys().any(|name| name.starts_with("ldap_group"))
        && !resulting("ldap_group_search_filter").is_empty()
    {
        for (name, called) in
            [("ldap_group_attribute_name", "name"), ("ldap_group_membership_attribute", "membership")]
        {
            if resulting(name).is_empty() {
                return Err(Failure::bad_request(format!(
                    "bad request: ldap group {called} attribute can not be empty"
                )));
            }
        }
    }
    let skips = values.get("skip_audit_log_database").and_then(Value::as_bool).unwrap_or_default();
    if skips && resulting("audit_log_forward_endpoint").is_empty() {
        return Err(Failure::bad_request(
            "bad request: audit log forward endpoint should be configured before enable skip audit log in database",
        ));
    }
    Ok(())
}

/// Dials a new receiver of audit logs. When it does not answer, Core has put it into its memory already.
fn check_audit_endpoint(call: &mut Call<'_>, values: &BTreeMap<String, Value>) -> Result<(), Failure> {
    const NAME: &str = "audit_log_forward_endpoint";
    let Some(endpoint) = values.get(NAME).and_then(Value::as_str).filter(|endpoint| !endpoint.is_empty())
    else {
        return Ok(());
    };
    if call.runtime.network.call(endpoint, None) != Answer::Silent {
        return Ok(());
    }
    call.data.configuration.remember_refused(NAME, endpoint.into());
    Err(Failure::bad_request(format!("bad request: could not connect to the audit endpoint: {endpoint}")))
}
