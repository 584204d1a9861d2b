//! Numbers and enumerations, with the messages of Kubernetes.

use super::names;
use crate::{failure::Cause, kinds::value::has};
use serde_json::{Value, json};

pub(super) const NEGATIVE: &str = "must be greater than or equal to 0";

/// A number that must not be negative.
pub(super) fn non_negative(holder: &Value, field: &str, path: &str, causes: &mut Vec<Cause>) {
    if let Some(number) = holder.get(field).and_then(Value::as_i64)
        && number < 0
    {
        causes.push(Cause::invalid(format!("{path}.{field}"), &number.into(), NEGATIVE));
    }
}

/// The number of a port.
pub(super) fn port(value: &Value, path: impl Into<String>, causes: &mut Vec<Cause>) {
    if !value.as_i64().is_some_and(|number| (1..=65535).contains(&number)) {
        causes.push(Cause::invalid(path, value, "must be between 1 and 65535, inclusive"));
    }
}

/// The number or name of a port.
pub(super) fn port_or_name(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    match value.as_str() {
        Some(name) => {
            let messages = names::port_name(name);
            causes.extend(messages.iter().map(|message| Cause::invalid(path, value, message)));
        }
        None if value.is_null() => port(&json!(0), path, causes),
        None => port(value, path, causes),
    }
}

/// A field with one of a few values; `required` if it has no default.
pub(super) fn one_of(holder: &Value, field: &str, path: &str, words: &[&str], causes: &mut Vec<Cause>) {
    let path = format!("{path}.{field}");
    match holder.get(field).and_then(Value::as_str) {
        None | Some("") if !has(holder, field) || holder[field] == json!("") => {
            causes.push(Cause::required(path, ""));
        }
        Some(word) if words.contains(&word) => {}
        _ => causes.push(Cause::not_supported(path, &holder[field], words)),
    }
}

/// A field that, if it is set, has one of a few values.
pub(super) fn one_of_if_set(
    holder: &Value,
    field: &str,
    path: &str,
    words: &[&str],
    causes: &mut Vec<Cause>,
) {
    if has(holder, field) {
        one_of(holder, field, path, words, causes);
    }
}

/// A number or a percentage.
pub(super) fn int_or_percent(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    match value {
        Value::String(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
                let message = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or \
                            '93%', regex used for validation is '[0-9]+%')";
                causes.push(Cause::invalid(path, value, message));
            }
        }
        _ if value.as_i64().is_some_and(|number| number < 0) => {
            causes.push(Cause::invalid(path, value, NEGATIVE));
        }
        _ => {}
    }
}

/// A percentage of at most 100.
pub(super) fn not_more_than_all(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    let percent =
        value.as_str().and_then(|text| text.strip_suffix('%')).and_then(|text| text.parse::<i64>().ok());
    if percent.is_some_and(|percent| percent > 100) {
        causes.push(Cause::invalid(path, value, "must not be greater than 100%"));
    }
}
