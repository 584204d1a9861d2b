//! Sets the defaults of a custom object, and drops nulls that are not allowed.

use super::{CustomSchema, node::Node};
use serde_json::Value;

/// The maximum depth; serde_json parses no deeper.
const DEPTH: usize = 128;

/// Sets defaults.
pub(crate) fn apply_defaults(schema: &CustomSchema, object: &mut Value) {
    fill(&schema.root, object, 0);
}

/// Drops nulls that are neither allowed nor about to be replaced by a default. Kubernetes does this when it decodes
/// what a client sent or what is stored, but not with the result of an apply.
pub(crate) fn drop_nulls(schema: &CustomSchema, object: &mut Value) {
    drop_below(Some(&schema.root), object, 0);
}

fn drop_below(node: Option<&Node>, value: &mut Value, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::Object(map) => map.retain(|name, value| {
            let field = node.and_then(|node| node.field(name));
            if value.is_null() && field.is_some_and(|field| !field.nullable && field.default.is_none()) {
                return false;
            }
            drop_below(field, value, depth + 1);
            true
        }),
        Value::Array(items) => {
            let item = node.and_then(|node| node.items.as_deref());
            for value in items {
                drop_below(item, value, depth + 1);
            }
        }
        _ => {}
    }
}

fn fill(node: &Node, value: &mut Value, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::Object(map) => {
            for (name, field) in &node.properties {
                if let Some(default) = &field.default
                    && map.get(name).is_none_or(|value| value.is_null() && !field.nullable)
                {
                    map.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in map {
                if let Some(field) = node.field(name) {
                    replace_null(field, value);
                    fill(field, value, depth + 1);
                }
            }
        }
        Value::Array(items) => {
            let Some(item) = &node.items else { return };
            for value in items {
                replace_null(item, value);
                fill(item, value, depth + 1);
            }
        }
        _ => {}
    }
}

fn replace_null(node: &Node, value: &mut Value) {
    if value.is_null()
        && !node.nullable
        && let Some(default) = &node.default
    {
        value.clone_from(default);
    }
}
