//! What becomes of an object of a built-in kind when Go encodes the struct it was decoded into.

use super::{Presence, Schema, Type};
use serde_json::Value;

/// How deep a walk goes; serde_json parses no deeper.
const DEPTH: usize = 128;

/// Leaves out fields that are zero, and adds those that are always there.
pub(crate) fn normalize(schema: &Schema, object: &mut Value) {
    walk(schema, object, 0);
}

fn walk(schema: &Schema, value: &mut Value, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let schema = match &schema.recurs {
        Some(definition) => super::builtin::schema(definition).map_or(schema, |again| &**again),
        None => schema,
    };
    match value {
        Value::Object(fields) => {
            for (name, field) in &schema.properties {
                match (field.presence, &field.default) {
                    (Presence::Always, Some(default)) if !fields.contains_key(name) => {
                        fields.insert(name.clone(), default.clone());
                    }
                    _ => {}
                }
            }
            fields.retain(|name, value| {
                let Some(field) = schema.field(name) else { return true };
                walk(field, value, depth + 1);
                field.presence != Presence::NonZero || !is_zero(field, value)
            });
        }
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for item in items {
                walk(schema, item, depth + 1);
            }
        }
        _ => {}
    }
}

fn is_zero(schema: &Schema, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty() && schema.kind == Some(Type::Object),
    }
}
