//! Nested objects that become empty with an apply.
//!
//! The API server removes fields that a manager owned and no longer sends. If a nested object has no field left, the
//! server sets it to null even if the manager sends `{}`. It then refuses an object of a custom kind, and drops the
//! field of a built-in kind. So the operator removes its fields from such a nested object before it applies the
//! object.

use crate::observed::{is_item, owned};
use kube::core::ObjectMeta;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// The fields to remove from `stored`, which has this metadata, before `manager` can apply `desired`, as JSON pointers: the
/// manager's fields in nested objects that are empty in `desired`. Fields of other managers stay.
pub fn in_the_way(desired: &Value, meta: &ObjectMeta, stored: &Value, manager: &str) -> Vec<String> {
    let api_version = desired["apiVersion"].as_str().unwrap_or_default();
    let Some((_, ours)) = owned(meta, api_version, |it| it == manager) else { return Vec::new() };
    let entries = meta.managed_fields.iter().flatten();
    let fields = entries.filter_map(|entry| entry.fields_v1.as_ref()?.0.as_object());
    let others: Vec<_> = fields.filter(|fields| *fields != ours).collect();
    let mut found = Vec::new();
    within(desired, stored, ours, &others, String::new(), &mut found);
    found
}

/// Whether an object contains an empty nested object.
pub fn has_empty(object: &Value) -> bool {
    match object {
        Value::Object(fields) => fields.is_empty() || fields.values().any(has_empty),
        Value::Array(items) => items.iter().any(has_empty),
        _ => false,
    }
}

/// Whether an empty nested object was sent and is not in the answer.
pub fn is_lost(sent: &Value, answer: &Value) -> bool {
    match (sent, answer) {
        (Value::Object(sent), Value::Null) => sent.is_empty(),
        (Value::Object(sent), Value::Object(answer)) => {
            sent.iter().any(|(name, sent)| is_lost(sent, answer.get(name).unwrap_or(&Value::Null)))
        }
        (Value::Array(sent), Value::Array(answer)) => sent.iter().zip(answer).any(|(a, b)| is_lost(a, b)),
        _ => false,
    }
}

/// Removes empty nested objects, and objects that contain nothing else. Returns their positions as JSON pointers.
pub fn take_empty(object: &mut Value) -> Vec<String> {
    fn take(object: &mut Value, at: &str, found: &mut Vec<String>) {
        let Value::Object(fields) = object else { return };
        fields.retain(|name, value| {
            let at = format!("{at}/{}", escaped(name));
            let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
            if is_empty(value) {
                found.push(at);
                return false;
            }
            take(value, &at, found);
            !is_empty(value)
        });
    }
    let mut found = Vec::new();
    take(object, "", &mut found);
    found
}

/// Inserts an empty object at a position that has no value.
pub fn put_empty(object: &mut Value, place: &str) {
    let mut at = object;
    for step in place.split('/').skip(1) {
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(fields) = at else { return };
        at = fields.entry(step.replace("~1", "/").replace("~0", "~")).or_insert(Value::Null);
    }
    if at.is_null() {
        *at = Value::Object(Map::new());
    }
}

fn within(
    desired: &Value,
    stored: &Value,
    ours: &Fields,
    others: &[&Fields],
    at: String,
    found: &mut Vec<String>,
) {
    if desired.as_object().is_some_and(Map::is_empty) {
        return all_of(stored, ours, others, &at, found);
    }
    for (part, below) in ours.iter().filter_map(|(part, below)| Some((part, below.as_object()?))) {
        let place = place(stored, part);
        let wanted = place.as_ref().and_then(|_| find(desired, part));
        if let (Some((step, stored)), Some(wanted)) = (place, wanted) {
            within(wanted, stored, below, &under(others, part), format!("{at}/{step}"), found);
        }
    }
}

/// All fields of the manager in `stored`, with as few pointers as possible without fields of other managers.
fn all_of(stored: &Value, ours: &Fields, others: &[&Fields], at: &str, found: &mut Vec<String>) {
    for (part, below) in ours.iter().filter_map(|(part, below)| Some((part, below.as_object()?))) {
        let Some((step, stored)) = place(stored, part) else { continue };
        let (at, others) = (format!("{at}/{step}"), under(others, part));
        if others.is_empty() {
            found.push(at);
        } else {
            all_of(stored, below, &others, &at, found);
        }
    }
}

/// The fields of other managers below `part`.
fn under<'a>(others: &[&'a Fields], part: &str) -> Vec<&'a Fields> {
    others.iter().filter_map(|fields| fields.get(part)?.as_object()).collect()
}

/// The position and the value of the field or item that `managedFields` calls `part`.
fn place<'a>(value: &'a Value, part: &str) -> Option<(String, &'a Value)> {
    match value {
        Value::Object(fields) => {
            let name = part.strip_prefix("f:")?;
            Some((escaped(name), fields.get(name)?))
        }
        Value::Array(items) => {
            let (number, item) = items.iter().enumerate().find(|(_, item)| is_item(item, part))?;
            Some((number.to_string(), item))
        }
        _ => None,
    }
}

fn find<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    place(value, part).map(|(_, found)| found)
}

/// A step of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn stored(spec: Value, ours: Value, others: &[Value]) -> Value {
        let entry = |manager: &str, fields: &Value| {
            json!({
                "manager": manager, "operation": "Apply", "apiVersion": "v1",
                "fieldsV1": {"f:spec": fields},
            })
        };
        let theirs = others.iter().map(|fields| entry("theirs", fields));
        let entries: Vec<_> = std::iter::once(entry("ours", &ours)).chain(theirs).collect();
        json!({"apiVersion": "v1", "metadata": {"managedFields": entries}, "spec": spec})
    }

    fn removed(desired: Value, stored: &Value) -> Vec<String> {
        let meta = serde_json::from_value(stored["metadata"].clone()).unwrap();
        in_the_way(&json!({"apiVersion": "v1", "spec": desired}), &meta, stored, "ours")
    }

    #[test]
    fn owned_fields_of_a_nested_object_that_becomes_empty_are_removed() {
        let spec = json!({"part": {"a": 1, "b/c": {"d": 1}}, "other": {"a": 1}});
        let ours = json!({"f:part": {"f:a": {}, "f:b/c": {"f:d": {}}}, "f:other": {"f:a": {}}});
        let stored = stored(spec, ours, &[]);
        assert_eq!(
            removed(json!({"part": {}, "other": {"a": 2}}), &stored),
            ["/spec/part/a", "/spec/part/b~1c"]
        );
        assert_eq!(removed(json!({"part": {"a": 1, "b/c": {}}}), &stored), ["/spec/part/b~1c/d"]);
        assert_eq!(
            removed(json!({"part": {"a": 1}}), &stored),
            [""; 0],
            "the API server removes fields that are left out"
        );
    }

    #[test]
    fn items_are_found_by_their_keys() {
        let spec = json!({"list": [{"name": "x"}, {"name": "y", "part": {"a": 1}}]});
        let ours = json!({"f:list": {"k:{\"name\":\"y\"}": {".": {}, "f:name": {}, "f:part": {"f:a": {}}}}});
        let desired = json!({"list": [{"name": "y", "part": {}}]});
        assert_eq!(removed(desired, &stored(spec, ours, &[])), ["/spec/list/1/part/a"]);
    }

    #[test]
    fn fields_of_other_managers_stay() {
        let spec = json!({"part": {"inner": {"a": 1, "b": 1}}});
        let inner = |field: &str| json!({"f:part": {"f:inner": {field: {}}}});
        let stored = stored(spec, inner("f:a"), &[inner("f:b")]);
        assert_eq!(removed(json!({"part": {}}), &stored), ["/spec/part/inner/a"]);
    }

    #[test]
    fn an_empty_object_that_was_sent_and_is_not_in_the_answer_is_lost() {
        let sent = json!({"a": {"b": {}}, "list": [{"c": {}}]});
        assert!(!is_lost(&sent, &json!({"a": {"b": {"default": 1}}, "list": [{"c": {}}]})));
        assert!(is_lost(&sent, &json!({"a": {"b": null}, "list": [{"c": {}}]})));
        assert!(is_lost(&sent, &json!({"a": {"b": {}}, "list": [{}]})));
        assert!(!is_lost(&json!({"a": 1}), &json!({})), "only objects count");
        assert!(has_empty(&sent) && !has_empty(&json!({"a": [], "b": {"c": null}})));
    }

    #[test]
    fn empty_objects_are_removed_and_can_be_inserted_again() {
        let all = json!({"a": {"b/c": {}, "d": 1}, "e": {"f": {}}});
        let mut object = all.clone();
        let places = take_empty(&mut object);
        assert_eq!(places, ["/a/b~1c", "/e/f"]);
        assert_eq!(object, json!({"a": {"d": 1}}));
        for place in places {
            put_empty(&mut object, &place);
        }
        assert_eq!(object, all);
    }
}
