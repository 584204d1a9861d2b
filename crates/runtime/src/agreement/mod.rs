//! Whether a stored object already says what we would send, so that after a restart nothing is.
//!
//! Server-side apply with `force` changes nothing exactly when the fields we own are the fields we would send and hold
//! the values we would send. Which fields we own is written in the object's `managedFields`; lists that are maps need no
//! schema, because their keys stand there too. An edit by somebody else takes the field away from us, so it shows even
//! where the value was edited back to what we want.
//!
//! Where that cannot be told for sure the answer is no: an apply is always right, only noisier. So it is for an atomic
//! list or struct in which the server fills in defaults, and for an empty list.

use serde_json::{Map, Value};

/// Fields every object has that nobody owns.
const IDENTITY: [&str; 2] = ["apiVersion", "kind"];
const METADATA_IDENTITY: [&str; 2] = ["name", "namespace"];

/// Whether applying `desired` as `manager` would leave `stored` as it is.
pub(crate) fn agrees(desired: &Value, stored: &Value, manager: &str) -> bool {
    let identical = |field: &str| desired.get(field).is_some_and(|value| stored.get(field) == Some(value));
    let namesakes = METADATA_IDENTITY.iter().all(|field| {
        desired["metadata"].get(field).is_some_and(|name| stored["metadata"].get(field) == Some(name))
    });
    if !namesakes || !IDENTITY.into_iter().all(identical) {
        return false;
    }
    let (Some(owned), Some(ownable)) = (owned(stored, &desired["apiVersion"], manager), ownable(desired))
    else {
        return false;
    };
    same(owned, &ownable, stored)
}

/// The fields that belong to `manager` by server-side apply, as `fieldsV1` tells them.
pub(crate) fn owned<'a>(stored: &'a Value, version: &Value, manager: &str) -> Option<&'a Map<String, Value>> {
    let text = |entry: &'a Value, field: &str| entry.get(field).and_then(Value::as_str);
    let mut ours = stored.pointer("/metadata/managedFields")?.as_array()?.iter().filter(|entry| {
        text(entry, "manager") == Some(manager)
            && text(entry, "operation") == Some("Apply")
            && text(entry, "subresource").unwrap_or_default().is_empty()
    });
    match (ours.next(), ours.next()) {
        // Fields have other names in other versions.
        (Some(entry), None) if entry.get("apiVersion") == Some(version) => entry.get("fieldsV1")?.as_object(),
        _ => None,
    }
}

/// What of an object can be owned; `None` where it is no object at all.
fn ownable(desired: &Value) -> Option<Value> {
    let mut fields = desired.as_object()?.clone();
    fields.retain(|field, _| !IDENTITY.contains(&field.as_str()));
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !METADATA_IDENTITY.contains(&field.as_str()));
        if metadata.is_empty() {
            fields.remove("metadata");
        }
    }
    Some(Value::Object(fields))
}

/// Whether `desired` consists of the `owned` fields and `stored` has the same in each.
fn same(owned: &Map<String, Value>, desired: &Value, stored: &Value) -> bool {
    if owned.keys().all(|part| part == ".") {
        // A scalar, something atomic, or an empty map.
        return desired == stored;
    }
    let parts: Vec<_> = owned.iter().filter(|(part, _)| *part != ".").collect();
    match (desired, stored) {
        (Value::Object(desired), Value::Object(stored)) => {
            let field = |(name, value): (&String, &Value)| {
                let below = owned.get(&format!("f:{name}")).and_then(Value::as_object);
                below.zip(stored.get(name)).is_some_and(|(below, stored)| same(below, value, stored))
            };
            desired.len() == parts.len() && desired.iter().all(field)
        }
        (Value::Array(desired), Value::Array(stored)) => same_items(&parts, desired, stored),
        _ => false,
    }
}

/// The same for a list of which others may own items too.
fn same_items(parts: &[(&String, &Value)], desired: &[Value], stored: &[Value]) -> bool {
    // In order: an environment variable may refer to those before it.
    let mut stored = stored.iter();
    let mut item = |item: &Value| {
        let mut fitting = parts.iter().filter(|(part, _)| is_named(item, part));
        let (Some((part, below)), None) = (fitting.next(), fitting.next()) else { return false };
        let stored = stored.find(|stored| is_named(stored, part));
        below.as_object().zip(stored).is_some_and(|(below, stored)| same(below, item, stored))
    };
    desired.len() == parts.len() && desired.iter().all(&mut item)
}

/// Whether an item of a list is the one that ownership calls `part`.
pub(crate) fn is_named(item: &Value, part: &str) -> bool {
    match part.split_once(':') {
        Some(("v", value)) => serde_json::from_str::<Value>(value).is_ok_and(|value| *item == value),
        Some(("k", keys)) => {
            let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
            // A key may be left out and be filled in by the server, such as the protocol of a port; not all of them.
            keys.keys().any(|key| item.get(key).is_some())
                && keys.iter().all(|(key, value)| item.get(key).is_none_or(|there| there == value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod objects;
#[cfg(test)]
mod tests;
