//! Which fields the manager that applies a configuration owns.

use super::{
    element::Element,
    set::FieldSet,
    typed::{Field, Shape, Typed, fields, items},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The fields that a configuration sets: its leaves, the keys of its maps and the items of its lists.
pub(crate) fn owned(typed: Typed<'_>, configuration: &Value) -> FieldSet {
    let mut set = FieldSet::default();
    collect(typed, configuration, &mut Vec::new(), &mut set);
    set
}

fn collect(typed: Typed<'_>, value: &Value, path: &mut Vec<Element>, set: &mut FieldSet) {
    match typed.shape(value) {
        Shape::Scalar | Shape::AtomicMap | Shape::AtomicList => set.insert(path),
        Shape::Map => {
            for (name, value) in fields(Some(value)).into_iter().flatten() {
                let field = typed.field(name);
                let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
                path.push(Element::Field(name.clone()));
                if empty || !matches!(field, Field::Named(_)) {
                    set.insert(path);
                }
                collect(typed.child(name), value, path, set);
                path.pop();
            }
        }
        shape @ (Shape::Set | Shape::Keyed(_)) => {
            let mut found: BTreeMap<Element, Vec<&Value>> = BTreeMap::new();
            for item in items(Some(value)) {
                if let Ok(element) = typed.element(shape, item) {
                    found.entry(element).or_default().push(item);
                }
            }
            for (element, items) in found {
                path.push(element);
                set.insert(path);
                if let [item] = items.as_slice() {
                    collect(typed.item(), item, path, set);
                }
                path.pop();
            }
        }
    }
}

/// The set with every field that the schema lists added if something below it is in the set: the owner of a
/// part of a named field also owns the field.
pub(crate) fn with_named_fields(typed: Typed<'_>, set: &FieldSet) -> FieldSet {
    set.with_members(
        typed,
        &|typed: Typed<'_>, element| typed.names(element),
        &|typed: Typed<'_>, element| typed.step(element),
    )
}
