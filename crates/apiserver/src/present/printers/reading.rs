//! Reads objects as Go does: a missing value is the empty value.

use crate::present::age;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::sync::LazyLock;

static NO_FIELDS: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The text at a JSON pointer, or an empty one.
pub(super) fn text<'o>(object: &'o Value, pointer: &str) -> &'o str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The text at a JSON pointer, or `otherwise` if there is none.
pub(super) fn text_or<'o>(object: &'o Value, pointer: &str, otherwise: &'o str) -> &'o str {
    match text(object, pointer) {
        "" => otherwise,
        text => text,
    }
}

/// The integer at a JSON pointer, or zero.
pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// Whether a JSON pointer leads to `true`.
pub(super) fn flag(object: &Value, pointer: &str) -> bool {
    object.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}

/// The list at a JSON pointer, or an empty one.
pub(super) fn list<'o>(object: &'o Value, pointer: &str) -> &'o [Value] {
    object.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The map at a JSON pointer, or an empty one.
pub(super) fn map<'o>(object: &'o Value, pointer: &str) -> &'o Map<String, Value> {
    object.pointer(pointer).and_then(Value::as_object).unwrap_or(&NO_FIELDS)
}

/// How many entries the map or list at a JSON pointer has.
pub(super) fn count(object: &Value, pointer: &str) -> usize {
    match object.pointer(pointer) {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(fields)) => fields.len(),
        _ => 0,
    }
}

/// A quantity at a JSON pointer, or zero.
pub(super) fn quantity(object: &Value, pointer: &str) -> String {
    int_or_string(object.pointer(pointer)).unwrap_or_else(|| "0".into())
}

/// A number or a text as text.
pub(super) fn int_or_string(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The object's name, as a cell.
pub(super) fn name(object: &Value) -> Value {
    text(object, "/metadata/name").into()
}

/// How long ago the object was created, as a cell.
pub(super) fn created(object: &Value, now: Timestamp) -> Value {
    since(object, "/metadata/creationTimestamp", now).into()
}

/// How long ago the time at a JSON pointer was.
pub(super) fn since(object: &Value, pointer: &str, now: Timestamp) -> String {
    age::since(object.pointer(pointer), now)
}

/// Whether the object is being deleted.
pub(super) fn deleting(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// The status of a condition; empty if the object has no such condition.
pub(super) fn condition<'o>(object: &'o Value, kind: &str) -> &'o str {
    list(object, "/status/conditions")
        .iter()
        .find(|condition| text(condition, "/type") == kind)
        .map_or("", |condition| text(condition, "/status"))
}

/// Labels as `a=b,c=d`, or `<none>`.
pub(super) fn labels(object: &Value, pointer: &str) -> String {
    let pairs: Vec<String> = map(object, pointer)
        .iter()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    if pairs.is_empty() { "<none>".into() } else { pairs.join(",") }
}

/// A label selector in the form of the query parameter; empty for one that selects everything or nothing.
pub(super) fn selector(object: &Value, pointer: &str) -> String {
    let Some(selector) = object.pointer(pointer) else { return String::new() };
    let mut requirements: Vec<(&str, String)> = map(selector, "/matchLabels")
        .iter()
        .map(|(key, value)| (key.as_str(), format!("{key}={}", value.as_str().unwrap_or_default())))
        .collect();
    for expression in list(selector, "/matchExpressions") {
        let key = text(expression, "/key");
        let mut values: Vec<&str> = list(expression, "/values").iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        requirements.push((
            key,
            match text(expression, "/operator") {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "Exists" => key.to_owned(),
                "DoesNotExist" => format!("!{key}"),
                _ => return "<error>".into(),
            },
        ));
    }
    requirements.sort_by_key(|(key, _)| *key);
    requirements.into_iter().map(|(_, requirement)| requirement).collect::<Vec<_>>().join(",")
}

/// A label selector as [`selector`] writes it, or `<none>`.
pub(super) fn selector_or_none(object: &Value, pointer: &str) -> String {
    match selector(object, pointer) {
        text if text.is_empty() => "<none>".into(),
        text => text,
    }
}

/// Names and images of the containers at a JSON pointer, as two cells.
pub(super) fn containers(object: &Value, pointer: &str) -> [Value; 2] {
    let containers = list(object, pointer);
    ["/name", "/image"].map(|field| {
        containers.iter().map(|container| text(container, field)).collect::<Vec<_>>().join(",").into()
    })
}

/// The first few of many, as Kubernetes shortens lists.
pub(super) fn shortened(items: &[String], shown: usize, separator: &str) -> String {
    let head = items.iter().take(shown).map(String::as_str).collect::<Vec<_>>().join(separator);
    if items.len() > shown { format!("{head} + {} more...", items.len() - shown) } else { head }
}
