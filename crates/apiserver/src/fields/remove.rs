//! Removes fields from an object.

use super::{
    element::Element,
    set::FieldSet,
    typed::{Shape, Typed, fields, items},
};
use serde_json::{Map, Value};

/// The value without the fields of a set; `None` if nothing is left.
///
/// A field or an item that becomes empty, though it is not in the set itself, is null. Kubernetes does the
/// same: a built-in kind then drops it, and a custom kind refuses it.
pub(crate) fn without(typed: Typed<'_>, value: &Value, set: &FieldSet) -> Option<Value> {
    match typed.shape(value) {
        Shape::Scalar => Some(value.clone()),
        Shape::AtomicMap | Shape::AtomicList => None,
        Shape::Map => {
            let left: Map<String, Value> = fields(Some(value))?
                .iter()
                .filter_map(|(name, value)| {
                    let element = Element::Field(name.clone());
                    if set.has(&element) {
                        return None;
                    }
                    let left = match set.below(&element) {
                        None => value.clone(),
                        Some(below) => without(typed.child(name), value, below).unwrap_or_default(),
                    };
                    Some((name.clone(), left))
                })
                .collect();
            (!left.is_empty()).then_some(Value::Object(left))
        }
        shape @ (Shape::Set | Shape::Keyed(_)) => {
            let left: Vec<Value> = items(Some(value))
                .iter()
                .filter_map(|item| {
                    let Ok(element) = typed.element(shape, item) else { return Some(item.clone()) };
                    if set.has(&element) {
                        return None;
                    }
                    match set.below(&element) {
                        None => Some(item.clone()),
                        Some(below) => Some(without(typed.item(), item, below).unwrap_or_default()),
                    }
                })
                .collect();
            (!left.is_empty()).then_some(Value::Array(left))
        }
    }
}
