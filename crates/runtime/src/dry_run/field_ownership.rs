//! What an apply takes away, and what it leaves, when fields have changed hands before it.

use api::names::FIELD_MANAGER_PREFIX;
use plan::is_item;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// Removes from `applied`, the answer to an apply of ours, what it would have removed after fields have changed hands
/// as in `earlier`: what we owned then, do not want now, and nobody else owns. Answers whether there was such a thing.
pub(super) fn relinquish(applied: &mut Value, earlier: &Value) -> bool {
    let Some(wanted) = owners(applied).find(is_ours).map(|owner| owner.fields.clone()) else { return false };
    let (ours, others): (Vec<_>, Vec<_>) = owners(earlier).partition(is_ours);
    let kept: Vec<_> = others.iter().map(|owner| owner.fields).chain([&wanted]).collect();
    // There is one of each: only one of our controllers applies an object.
    ours.first().is_some_and(|had| drop_unkept(applied, had.fields, &kept))
}

/// Puts back into `applied`, the answer to an apply of ours on what is `stored`, what it would not have removed after
/// fields have changed hands as in `earlier`: what we had given up by then. Answers whether there was such a thing.
pub(super) fn restore(applied: &mut Value, stored: &Value, earlier: &Value) -> bool {
    let ours = |object| owners(object).find(is_ours).map(|owner| owner.fields.clone());
    let (Some(had), Some(has)) = (ours(stored), ours(earlier)) else { return false };
    put_back(applied, &had, &has, earlier)
}

fn is_ours(owner: &Owner<'_>) -> bool {
    owner.operation == "Apply" && owner.manager.starts_with(FIELD_MANAGER_PREFIX)
}

/// Who owns fields, and how that came.
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

/// The part of a value that ownership calls `part`.
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
    fn what_was_given_up_before_stays() {
        let entry = |fields: Value| json!({"manager": "harbor-operator/core", "operation": "Apply", "fieldsV1": fields});
        let object = |fields: Value, spec: Value| json!({"metadata": {"managedFields": [entry(fields)]}, "spec": spec});
        let both = json!({"f:spec": {"f:replicas": {}, "f:image": {}}});
        let one = json!({"f:spec": {"f:image": {}}});
        let stored = object(both, json!({"replicas": 3, "image": "old"}));
        let earlier = object(one.clone(), json!({"replicas": 3, "image": "old"}));
        let mut applied = object(one.clone(), json!({"replicas": 1, "image": "new"}));
        assert!(restore(&mut applied, &stored, &earlier));
        assert_eq!(applied, object(one, json!({"replicas": 3, "image": "new"})));
        assert!(!restore(&mut applied, &stored, &earlier), "nothing is left to be put back");
    }

    #[test]
    fn what_was_handed_over_and_is_not_wanted_goes_unless_somebody_else_wants_it() {
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
        assert!(!relinquish(&mut applied, &earlier), "nothing is left to be removed");
    }
}
