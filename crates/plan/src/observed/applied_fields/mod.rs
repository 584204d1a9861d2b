//! Whether a stored object already is as the operator would apply it.
//!
//! Server-side apply with `force` changes nothing exactly when the fields that the operator owns are the fields that
//! it would send, and hold the values that it would send. `managedFields` says which fields those are; lists that are
//! maps need no schema, because `managedFields` names their items by key. Another manager that edits a field takes it
//! over, so an edit shows even where the value was edited back.
//!
//! Where this cannot be determined, the answer is no: an apply is always right, only noisier. That is so for an atomic list
//! or struct in which the API server fills in defaults. An empty list is as good as none, since the API server stores none.

use super::{entries, is_apply, is_operator};
use crate::Digest;
use api::v1beta1::network::IpFamilyPolicy;
use kube::core::{DynamicObject, ObjectMeta};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Fields of every object that no manager owns.
const IDENTITY: [&str; 2] = ["apiVersion", "kind"];
const METADATA_IDENTITY: [&str; 2] = ["name", "namespace"];

/// The digest of everything that the operator owns in an object: the same as [`desired_digest`] of what it would send exactly
/// when applying that would leave the object as it is. `None` where that cannot be determined. Items of a list do not name
/// their API version, so the caller does.
pub fn applied_digest(object: &DynamicObject, api_version: &str) -> Option<Digest> {
    let (manager, fields) = owned(&object.metadata, api_version, is_operator)?;
    let stored = serde_json::to_value(object).ok()?;
    digest(manager, api_version, &view(fields, &stored)?)
}

/// The digest of an object as `manager` would apply it.
pub fn desired_digest(desired: &Value, manager: &str) -> Option<Digest> {
    digest(manager, desired["apiVersion"].as_str()?, &ownable(desired)?)
}

fn digest(manager: &str, api_version: &str, fields: &Value) -> Option<Digest> {
    Digest::of(&(manager, api_version, fields)).ok()
}

/// The manager of this kind, and the fields that belong to it by server-side apply, as `fieldsV1` states them; `None` if there
/// is no such manager, or more than one.
pub fn owned<'a>(
    meta: &'a ObjectMeta,
    api_version: &str,
    is_manager: impl Fn(&str) -> bool,
) -> Option<(&'a str, &'a Map<String, Value>)> {
    let mut ours = entries(meta).filter(|(manager, entry)| is_apply(entry) && is_manager(manager));
    let (Some((manager, entry)), None) = (ours.next(), ours.next()) else { return None };
    // Other API versions may have other field names.
    let fields = entry.fields_v1.as_ref().filter(|_| entry.api_version.as_deref() == Some(api_version))?;
    Some((manager, fields.0.as_object()?))
}

/// The part of an object that a manager can own; `None` if the value is not an object.
fn ownable(desired: &Value) -> Option<Value> {
    let mut fields = desired.as_object()?.clone();
    fields.retain(|field, _| !IDENTITY.contains(&field.as_str()));
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !METADATA_IDENTITY.contains(&field.as_str()));
        if metadata.is_empty() {
            fields.remove("metadata");
        }
    }
    let mut fields = Value::Object(fields);
    forget_empty_lists(&mut fields);
    Some(fields)
}

fn forget_empty_lists(value: &mut Value) {
    match value {
        Value::Array(items) if items.is_empty() => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(forget_empty_lists),
        Value::Object(fields) => fields.values_mut().for_each(forget_empty_lists),
        _ => {}
    }
}

/// The part of `stored` that these fields name, with the values it has; `None` where that cannot be determined. Items of a
/// list keep their order: an environment variable may refer to those before it.
fn view(fields: &Map<String, Value>, stored: &Value) -> Option<Value> {
    if fields.keys().all(|part| part == ".") {
        // A scalar, something atomic, or an empty map.
        let mut value = stored.clone();
        forget_empty_lists(&mut value);
        return Some(value);
    }
    let mut parts = fields.iter().filter(|(part, _)| *part != ".");
    match stored {
        Value::Object(stored) => {
            let field = |(part, below): (&String, &Value)| {
                let name = part.strip_prefix("f:")?;
                let value = stored.get(name).map_or_else(|| Cow::Owned(absent(name)), Cow::Borrowed);
                Some((name.to_owned(), view(below.as_object()?, &value)?))
            };
            parts.map(field).collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        Value::Array(stored) => {
            let mut items: Vec<(usize, Value)> = Vec::new();
            for (part, below) in &mut parts {
                let mut named = stored.iter().enumerate().filter(|(_, item)| is_item(item, part));
                let (Some((position, item)), None) = (named.next(), named.next()) else { return None };
                let ours = view(below.as_object()?, item)?;
                items.push((position, if is_scratch(&ours, item) { item.clone() } else { ours }));
            }
            items.sort_by_key(|(position, _)| *position);
            Some(items.into_iter().map(|(_, item)| item).collect())
        }
        _ => None,
    }
}

/// What it means that an object does not have a field that the operator has applied.
fn absent(field: &str) -> Value {
    match field {
        // Kubernetes 1.20 drops the field, and then gives every Service one address family.
        "ipFamilyPolicy" => IpFamilyPolicy::SingleStack.as_str().into(),
        _ => Value::Null,
    }
}

/// Whether an item is an empty volume of which `managedFields` names only the name. Kubernetes 1.20 records no owner of an
/// empty object, and the operator sends the source of each of its volumes.
fn is_scratch(ours: &Value, item: &Value) -> bool {
    let name = &item["name"];
    *ours == json!({"name": name}) && *item == json!({"name": name, "emptyDir": {}})
}

/// Whether `part` of `managedFields` identifies this item of a list.
pub fn is_item(item: &Value, part: &str) -> bool {
    match part.split_once(':') {
        Some(("v", value)) => serde_json::from_str::<Value>(value).is_ok_and(|value| *item == value),
        Some(("k", keys)) => {
            let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
            // The API server fills in some keys that are left out, such as the protocol of a port.
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
