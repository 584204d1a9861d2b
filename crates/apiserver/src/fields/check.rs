//! Whether a configuration can be applied: it has only declared fields, of the right types, and no duplicate
//! items.

use super::typed::{Field, Shape, Typed, fields, items};
use crate::{go, schema::Type};
use serde_json::Value;
use std::collections::BTreeSet;

/// The problems of a configuration, in the wording of Kubernetes; `None` if there are none.
pub(crate) fn check(typed: Typed<'_>, configuration: &Value) -> Option<String> {
    let mut problems = Vec::new();
    visit(typed, configuration, "", &mut problems);
    match problems.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(format!("errors:\n  {}", many.join("\n  "))),
    }
}

fn visit(typed: Typed<'_>, value: &Value, path: &str, problems: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    match (typed.shape(value), value) {
        (Shape::Scalar, _) => {
            if let Some(why) = scalar(typed.kind(), value) {
                problems.push(message(path, &why));
            }
        }
        (Shape::Map | Shape::AtomicMap, Value::Object(_)) => {
            for (name, value) in fields(Some(value)).into_iter().flatten() {
                let path = format!("{path}.{name}");
                match typed.field(name) {
                    Field::Named(typed) | Field::Other(typed) => visit(typed, value, &path, problems),
                    Field::Undeclared => {
                        problems.push(message(&path, "field not declared in schema"));
                        return;
                    }
                }
            }
        }
        (Shape::Map | Shape::AtomicMap, _) => {
            problems.push(message(path, &format!("expected map, got {}", boxed(value))));
        }
        (Shape::AtomicList, Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                visit(typed.item(), item, &format!("{path}[{index}]"), problems);
            }
        }
        (shape @ (Shape::Set | Shape::Keyed(_)), Value::Array(_)) => {
            let mut seen = BTreeSet::new();
            for (index, item) in items(Some(value)).iter().enumerate() {
                let element = match typed.element(shape, item) {
                    Ok(element) => element,
                    Err(why) => {
                        problems.push(message(path, &format!("element {index}: {why}")));
                        return;
                    }
                };
                if seen.contains(&element) {
                    problems.push(message(path, &format!("duplicate entries for key {element}")));
                }
                visit(typed.item(), item, &format!("{path}{element}"), problems);
                seen.insert(element);
            }
        }
        (Shape::AtomicList | Shape::Set | Shape::Keyed(_), _) => {
            problems.push(message(path, &format!("expected list, got {}", boxed(value))));
        }
    }
}

fn message(path: &str, why: &str) -> String {
    if path.is_empty() { why.to_owned() } else { format!("{path}: {why}") }
}

fn scalar(kind: Option<Type>, value: &Value) -> Option<String> {
    let compound = value.is_object() || value.is_array();
    match kind {
        Some(Type::Integer | Type::Number) if !value.is_number() => {
            Some(format!("expected numeric (int or float), got {}", go::type_name(value)))
        }
        Some(Type::String) if !value.is_string() => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go::syntax(value)))
        }
        Some(Type::Boolean) if !value.is_boolean() => Some(format!("expected boolean, got {}", boxed(value))),
        Some(Type::IntOrString) | None if compound => {
            Some(format!("expected any scalar, got {}", boxed(value)))
        }
        _ => None,
    }
}

/// A value as Go prints it through a pointer.
fn boxed(value: &Value) -> String {
    format!("&{{{}}}", go::plain(value))
}
