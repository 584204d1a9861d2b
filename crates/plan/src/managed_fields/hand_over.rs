//! Which fields an apply would remove or leave after an earlier step of the dry run changed their ownership.

use crate::observed::is_item;
use api::names::FIELD_MANAGER_PREFIX;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// `applied` is the answer to an apply of the operator, `earlier` the object after a hand-over that was only a dry
/// run. Removes the fields that the apply would have removed after that: fields that the operator owns in `earlier`
/// and does not send, and that no other manager owns. Returns whether there were any.
pub fn relinquish(applied: &mut Value, earlier: &Value) -> bool {
    let Some(wanted) = owners(applied).find(is_ours).map(|owner| owner.fields.clone()) else { return false };
    let (ours, others): (Vec<_>, Vec<_>) = owners(earlier).partition(is_ours);
    let kept: Vec<_> = others.iter().map(|owner| owner.fields).chain([&wanted]).collect();
    // There is only one: a single controller of the operator applies an object.
    ours.first().is_some_and(|had| drop_unkept(applied, had.fields, &kept))
}

/// `applied` is the answer to an apply of the operator on the object `stored`, `earlier` the object after a release
/// that was only a dry run. Restores the fields that the apply would not have removed after that: fields that the
/// operator no longer owns in `earlier`. Returns whether there were any.
pub fn restore(applied: &mut Value, stored: &Value, earlier: &Value) -> bool {
    let ours = |object| owners(object).find(is_ours).map(|owner| owner.fields.clone());
    let (Some(had), Some(has)) = (ours(stored), ours(earlier)) else { return false };
    put_back(applied, &had, &has, earlier)
}

fn is_ours(owner: &Owner<'_>) -> bool {
    owner.operation == "Apply" && owner.manager.starts_with(FIELD_MANAGER_PREFIX)
}

/// An owner of fields.
struct Owner<'a> {
    manager: &'a str,
    operation: &'a str,
    fields: &'a Fields,
}

fn owners(object: &Value) -> impl Iterator<Item = Owner<'_>> {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
    let entries = entries.filter(|entry| entry["subresource"].as_str().unwrap_or_default().is_empty());
    entries.filter_map(|entry| {
        Some(Owner {
            manager: entry["manager"].as_str()?,
            operation: entry["operation"].as_str()?,
            fields: entry["fieldsV1"].as_object()?,
        })
    })
}

fn drop_unkept(value: &mut Value, had: &Fields, kept: &[&Fields]) -> bool {
    let mut dropped = false;
    for (part, below) in had.iter().filter(|(part, _)| *part != ".") {
        let kept: Vec<_> = kept.iter().filter_map(|fields| fields.get(part)?.as_object()).collect();
        if kept.is_empty() {
            dropped |= remove(value, part);
        } else if kept.iter().all(|fields| !fields.is_empty())
            && let (Some(value), Some(below)) = (find(value, part), below.as_object())
        {
            dropped |= drop_unkept(value, below, &kept);
        }
    }
    dropped
}

fn put_back(value: &mut Value, had: &Fields, has: &Fields, earlier: &Value) -> bool {
    let mut restored = false;
    for (part, below) in had {
        let Some((name, then)) = part.strip_prefix("f:").and_then(|name| Some((name, earlier.get(name)?)))
        else {
            continue;
        };
        match (has.get(part).and_then(Value::as_object), below.as_object(), find(value, part)) {
            (Some(has), Some(below), Some(value)) => restored |= put_back(value, below, has, then),
            (None, _, now) if now.as_deref() != Some(then) => {
                value[name] = then.clone();
                restored = true;
            }
            _ => {}
        }
    }
    restored
}

/// The field or item of a value that `managedFields` calls `part`.
fn find<'a>(value: &'a mut Value, part: &str) -> Option<&'a mut Value> {
    match value {
        Value::Object(fields) => fields.get_mut(part.strip_prefix("f:")?),
        Value::Array(items) => items.iter_mut().find(|item| is_item(item, part)),
        _ => None,
    }
}

fn remove(value: &mut Value, part: &str) -> bool {
    match value {
        Value::Object(fields) => part.strip_prefix("f:").is_some_and(|name| fields.remove(name).is_some()),
        Value::Array(items) => {
            let before = items.len();
            items.retain(|item| !is_item(item, part));
            items.len() < before
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_that_were_released_before_stay() {
        let entry = |fields: Value| json!({"manager": "harbor-operator/core", "operation": "Apply", "fieldsV1": fields});
        let object = |fields: Value, spec: Value| json!({"metadata": {"managedFields": [entry(fields)]}, "spec": spec});
        let both = json!({"f:spec": {"f:replicas": {}, "f:image": {}}});
        let one = json!({"f:spec": {"f:image": {}}});
        let stored = object(both, json!({"replicas": 3, "image": "old"}));
        let earlier = object(one.clone(), json!({"replicas": 3, "image": "old"}));
        let mut applied = object(one.clone(), json!({"replicas": 1, "image": "new"}));
        assert!(restore(&mut applied, &stored, &earlier));
        assert_eq!(applied, object(one, json!({"replicas": 3, "image": "new"})));
        assert!(!restore(&mut applied, &stored, &earlier), "nothing is left to restore");
    }

    #[test]
    fn unwanted_fields_are_removed_after_a_hand_over_unless_another_manager_owns_them() {
        let entry = |manager: &str, operation: &str, fields: Value| json!({"manager": manager, "operation": operation, "fieldsV1": fields});
        let env = |names: &[&str]| {
            let items = names.iter().map(|name| (format!("k:{{\"name\":\"{name}\"}}"), json!({".": {}})));
            json!({"f:env": items.collect::<Fields>()})
        };
        let earlier = json!({"metadata": {"managedFields": [
            entry("harbor-operator/core", "Apply", env(&["OLD", "SHARED", "NEW"])),
            entry("other", "Update", env(&["SHARED"])),
        ]}});
        let mut applied = json!({
            "metadata": {"managedFields": [
                entry("harbor-operator/core", "Apply", env(&["NEW"])),
                entry("old", "Update", env(&["OLD", "SHARED"])),
                entry("other", "Update", env(&["SHARED"])),
            ]},
            "env": [{"name": "OLD"}, {"name": "SHARED"}, {"name": "NEW"}],
        });
        assert!(relinquish(&mut applied, &earlier));
        assert_eq!(applied["env"], json!([{"name": "SHARED"}, {"name": "NEW"}]));
        assert!(!relinquish(&mut applied, &earlier), "nothing is left to remove");
    }
}
