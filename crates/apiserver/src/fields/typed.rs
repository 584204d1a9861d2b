//! A schema as server-side apply uses it: which values are one leaf, and which fields identify the items of a
//! list.

use super::element::{Element, Ordered};
use crate::{
    go,
    schema::{ListKey, Merge, Schema, Type},
};
use serde_json::Value;

/// The schema of a value, or the information that there is none.
///
/// Without a schema, objects are owned field by field and lists as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    schema: Option<&'a Schema>,
    /// Fields that are not listed are preserved here and everywhere below.
    preserving: bool,
}

/// How a value is owned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape<'a> {
    Scalar,
    /// An object that is owned field by field.
    Map,
    /// An object that is owned as a whole.
    AtomicMap,
    /// A list of scalars. Each has its own owners.
    Set,
    /// A list of objects that these fields identify.
    Keyed(&'a [ListKey]),
    AtomicList,
}

/// What a schema says about a field's name.
pub(crate) enum Field<'a> {
    /// It is listed.
    Named(Typed<'a>),
    /// It is a key of a map, or nothing is known.
    Other(Typed<'a>),
    /// It is not listed, and only listed fields may be.
    Undeclared,
}

impl<'a> Typed<'a> {
    pub fn new(schema: &'a Schema) -> Self {
        Self::inheriting(Some(schema), false)
    }

    fn inheriting(schema: Option<&'a Schema>, preserving: bool) -> Self {
        Self { schema, preserving: preserving || schema.is_some_and(|schema| schema.preserves_unknown) }
    }

    /// How a value of this schema is owned. A null of unknown type counts as an object.
    pub fn shape(self, value: &Value) -> Shape<'a> {
        match self.schema.and_then(|schema| schema.kind) {
            Some(Type::Object) => self.map(),
            Some(Type::Array) => self.list(),
            Some(_) => Shape::Scalar,
            None => match value {
                Value::Object(_) | Value::Null => self.map(),
                Value::Array(_) => self.list(),
                _ => Shape::Scalar,
            },
        }
    }

    fn map(self) -> Shape<'a> {
        match self.schema.map(|schema| &schema.merge) {
            Some(Merge::Atomic) => Shape::AtomicMap,
            _ => Shape::Map,
        }
    }

    fn list(self) -> Shape<'a> {
        match self.schema.map(|schema| &schema.merge) {
            Some(Merge::Set) => Shape::Set,
            Some(Merge::Map(keys)) if keys.is_empty() => Shape::Set,
            Some(Merge::Map(keys)) => Shape::Keyed(keys),
            _ => Shape::AtomicList,
        }
    }

    /// The scalar type, if it is known.
    pub fn kind(self) -> Option<Type> {
        self.schema.and_then(|schema| schema.kind)
    }

    /// The schema's information about an object's field.
    pub fn field(self, name: &str) -> Field<'a> {
        let Some(schema) = self.schema else { return Field::Other(self.unknown()) };
        if let Some(field) = schema.properties.get(name) {
            Field::Named(Self::inheriting(Some(field), self.preserving))
        } else if let Some(field) = &schema.additional {
            Field::Other(Self::inheriting(Some(field), self.preserving))
        } else if self.preserving || schema.properties.is_empty() {
            Field::Other(self.unknown())
        } else {
            Field::Undeclared
        }
    }

    /// The schema of an object's field, if it is known.
    pub fn child(self, name: &str) -> Self {
        match self.field(name) {
            Field::Named(typed) | Field::Other(typed) => typed,
            Field::Undeclared => self.unknown(),
        }
    }

    /// The schema of a list's items.
    pub fn item(self) -> Self {
        Self::inheriting(self.schema.and_then(|schema| schema.items.as_deref()), self.preserving)
    }

    /// The schema of the value at an element of a path.
    pub fn step(self, element: &Element) -> Self {
        match element {
            Element::Field(name) => self.child(name),
            _ => self.item(),
        }
    }

    /// Whether an element of a path is a field that the schema lists.
    pub fn names(self, element: &Element) -> bool {
        matches!(element, Element::Field(name) if self.schema.is_some_and(|schema| schema.properties.contains_key(name)))
    }

    fn unknown(self) -> Self {
        Self { schema: None, preserving: self.preserving }
    }

    /// The identity of an item in a list of the given shape.
    pub fn element(self, shape: Shape<'_>, item: &Value) -> Result<Element, String> {
        match (shape, item) {
            (Shape::Keyed(_), Value::Null) => {
                Err("associative list with keys may not have a null element".to_owned())
            }
            (Shape::Keyed(keys), Value::Object(fields)) => {
                let mut key: Vec<(String, Ordered)> = keys
                    .iter()
                    .filter_map(|key| {
                        let value = fields.get(&key.name).or_else(|| self.key_default(key))?;
                        Some((key.name.clone(), Ordered(value.clone())))
                    })
                    .collect();
                if key.is_empty() {
                    let names: Vec<String> = keys.iter().map(|key| go::quoted(&key.name)).collect();
                    return Err(format!(
                        "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
                        names.join(" ")
                    ));
                }
                key.sort_by(|(left, _), (right, _)| left.cmp(right));
                Ok(Element::Key(key))
            }
            (Shape::Keyed(_), _) => {
                Err("associative list with keys may not have non-map elements".to_owned())
            }
            (_, Value::Object(_)) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            (_, Value::Array(_)) => Err("not supported: associative list with lists as elements".to_owned()),
            (_, Value::Null) => {
                Err("associative list without keys has an element that's an explicit null".to_owned())
            }
            (_, scalar) => Ok(Element::Value(Ordered(scalar.clone()))),
        }
    }

    fn key_default<'s>(self, key: &'s ListKey) -> Option<&'s Value>
    where
        'a: 's,
    {
        let declared = || self.item().schema?.properties.get(&key.name)?.default.as_ref();
        key.default.as_ref().or_else(declared)
    }
}

/// The fields of an object; none of a null or of anything else.
pub(crate) fn fields(value: Option<&Value>) -> Option<&serde_json::Map<String, Value>> {
    value.and_then(Value::as_object).filter(|fields| !fields.is_empty())
}

/// The items of a list; none of a null or of anything else.
pub(crate) fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
