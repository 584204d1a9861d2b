//! Uniqueness of the items of sets and maps, and required fields of embedded objects.

use super::{
    field_errors,
    node::{List, Node},
};
use crate::{failure::Cause, schema::path::Path};
use serde_json::{Map, Value};

/// The items that are not unique.
pub(super) fn wrong(node: &Node, value: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(node, value, &mut Path::default(), &mut |node, value, path| {
        if let Value::Array(items) = value {
            causes.extend(duplicates(node, items, path));
        }
    });
    causes
}

/// The missing fields of embedded objects.
pub(super) fn wrong_embedded(node: &Node, value: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(node, value, &mut Path::default(), &mut |node, value, path| {
        let Value::Object(map) = value else { return };
        if !node.embedded || path.is_root() {
            return;
        }
        for name in ["apiVersion", "kind"] {
            let mark = path.field(name);
            causes.extend(match map.get(name) {
                None => Some(field_errors::required(path, "")),
                Some(Value::String(text)) if text.is_empty() => {
                    Some(field_errors::invalid(path, &Value::String(String::new()), "must not be empty"))
                }
                Some(Value::String(_)) => None,
                Some(other) => Some(field_errors::invalid(path, other, "must be a string")),
            });
            path.leave(mark);
        }
    });
    causes
}

fn walk(node: &Node, value: &Value, path: &mut Path, visit: &mut impl FnMut(&Node, &Value, &mut Path)) {
    if path.is_too_deep() {
        return;
    }
    visit(node, value, path);
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let Some(field) = node.field(name) else { continue };
                let mark = if node.properties.contains_key(name) { path.field(name) } else { path.key(name) };
                walk(field, value, path, visit);
                path.leave(mark);
            }
        }
        Value::Array(items) => {
            let Some(item) = &node.items else { return };
            for (index, value) in items.iter().enumerate() {
                let mark = path.index(index);
                walk(item, value, path, visit);
                path.leave(mark);
            }
        }
        _ => {}
    }
}

fn duplicates(node: &Node, items: &[Value], path: &mut Path) -> Vec<Cause> {
    let identities: Vec<Value> = match &node.list {
        List::Atomic => return Vec::new(),
        List::Set => items.to_vec(),
        List::Map(keys) => {
            if let Some(index) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
                let mark = path.index(index);
                let detail = "must be an object for an array of list-type map";
                let cause = items.get(index).map(|item| field_errors::invalid(path, item, detail));
                path.leave(mark);
                return cause.into_iter().collect();
            }
            items.iter().map(|item| identity(item, keys)).collect()
        }
    };
    let mut times = std::collections::HashMap::new();
    let mut causes = Vec::new();
    for (index, identity) in identities.iter().enumerate() {
        let seen = times.entry(identity.to_string()).and_modify(|times| *times += 1).or_insert(1);
        if *seen == 2 {
            let mark = path.index(index);
            causes.push(field_errors::duplicate(path, identity));
            path.leave(mark);
        }
    }
    causes
}

fn identity(item: &Value, keys: &[String]) -> Value {
    let key = |name: &String| Some((name.clone(), item.get(name)?.clone()));
    Value::Object(keys.iter().filter_map(key).collect::<Map<_, _>>())
}
