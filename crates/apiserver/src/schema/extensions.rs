//! Parses the `x-kubernetes-*` extensions about merging.

use super::{ListKey, Merge, PatchStrategy};
use serde_json::Value;

/// How a node's value is owned and merged. `default` returns the default of a key.
pub(super) fn merge(node: &Value, default: impl Fn(&str) -> Option<Value>) -> Merge {
    match (text(node, "x-kubernetes-list-type"), text(node, "x-kubernetes-map-type")) {
        (Some("set"), _) => Merge::Set,
        (Some("map"), _) => {
            let keys = node.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
            let names = keys.into_iter().flatten().filter_map(Value::as_str);
            Merge::Map(names.map(|name| ListKey { name: name.to_owned(), default: default(name) }).collect())
        }
        (_, Some("atomic")) => Merge::Atomic,
        _ => Merge::Plain,
    }
}

/// How a strategic merge patch treats a node's value, if the schema says so.
pub(super) fn patch(node: &Value) -> Option<PatchStrategy> {
    let strategies: Vec<&str> = text(node, "x-kubernetes-patch-strategy")?.split(',').collect();
    Some(PatchStrategy {
        merge: strategies.contains(&"merge"),
        retain_keys: strategies.contains(&"retainKeys"),
        merge_key: text(node, "x-kubernetes-patch-merge-key").map(str::to_owned),
    })
}

/// A text attribute of a node.
pub(super) fn text<'a>(node: &'a Value, attribute: &str) -> Option<&'a str> {
    node.get(attribute).and_then(Value::as_str)
}

/// Whether an attribute of a node is true.
pub(super) fn is(node: &Value, attribute: &str) -> bool {
    node.get(attribute).and_then(Value::as_bool) == Some(true)
}
