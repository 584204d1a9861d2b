//! Reads and sets fields of objects whose shape is not guaranteed.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// The text of a field; empty if it is not text.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a field; none if it is not a list.
pub(super) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The entries of a field; none if it is not an object.
pub(super) fn entries<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v str, &'v Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

/// Whether a field is present and not null.
pub(super) fn has(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|value| !value.is_null())
}

/// The items of a field, mutable.
pub(super) fn items_mut<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Sets a field of an object; does nothing to other values.
pub(super) fn set(value: &mut Value, key: &str, to: impl Into<Value>) {
    if let Value::Object(fields) = value {
        fields.insert(key.to_owned(), to.into());
    }
}

/// Removes a field from an object, and returns it.
pub(super) fn unset(value: &mut Value, key: &str) -> Option<Value> {
    value.as_object_mut()?.remove(key)
}

/// Sets a field that is missing.
pub(super) fn fill(value: &mut Value, key: &str, to: impl Into<Value>) {
    if !has(value, key) {
        set(value, key, to);
    }
}

/// The object in a field, created if it is missing; None if the field is not an object.
pub(super) fn child<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    let field = value.as_object_mut()?.entry(key).or_insert(Value::Null);
    if field.is_null() {
        *field = Value::Object(Map::new());
    }
    field.is_object().then_some(field)
}

/// Copies one field of `from` to `to`. If `from` does not have it, removes it.
pub(super) fn copy(from: &Value, to: &mut Value, key: &str) {
    match from.get(key) {
        Some(value) => set(to, key, value.clone()),
        None => drop(unset(to, key)),
    }
}

/// The bytes of a base64 text with line breaks; empty if it is invalid.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let text: String = text.chars().filter(|character| !matches!(character, '\r' | '\n')).collect();
    STANDARD.decode(text).unwrap_or_default()
}
