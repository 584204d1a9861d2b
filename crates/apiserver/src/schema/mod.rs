//! Schemas: types, defaults and merge settings, in one form for built-in and custom kinds.

mod builtin;
mod custom;
mod decode;
mod definitions;
mod duplicates;
mod extensions;
mod path;
mod published;
#[cfg(test)]
mod tests;

pub(crate) use custom::{CustomSchema, apply_defaults, drop_nulls, prune, shorten_numbers, validate};
pub(crate) use decode::{decode, metadata_problem};
pub(crate) use definitions::definitions;
pub(crate) use duplicates::{duplicates, strict_failure};

use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// The schema of one value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schema {
    /// The JSON type, if it is known.
    pub kind: Option<Type>,
    /// The named fields of an object.
    pub properties: BTreeMap<String, Arc<Schema>>,
    /// The values of a map.
    pub additional: Option<Arc<Schema>>,
    /// The items of a list.
    pub items: Option<Arc<Schema>>,
    /// How the values of two writers are merged.
    pub merge: Merge,
    /// How a strategic merge patch treats this list or object, for a built-in kind.
    pub patch: Option<PatchStrategy>,
    /// The value of this field if the object has its parent but not the field.
    pub default: Option<Value>,
    /// Whether unknown fields are preserved.
    pub preserves_unknown: bool,
    /// The format of a scalar.
    pub format: Format,
    /// The name of a built-in type in Go, for messages: `v1.Container`.
    pub go: Option<Arc<str>>,
    /// The definition to continue with, if it contains itself.
    pub recurs: Option<String>,
}

/// The format of values of a built-in scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Format {
    #[default]
    Any,
    Int32,
    Int64,
    Byte,
    DateTime,
    MicroTime,
    Quantity,
    IntOrString,
}

/// A JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
    /// `x-kubernetes-int-or-string`
    IntOrString,
}

impl Type {
    /// A type by its name in a schema.
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }

    /// Its name in a schema, and in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::IntOrString => "integer,string",
        }
    }
}

impl Format {
    fn parse(name: Option<&str>) -> Self {
        match name {
            Some("int32") => Self::Int32,
            Some("int64") => Self::Int64,
            Some("byte") => Self::Byte,
            Some("date-time") => Self::DateTime,
            _ => Self::Any,
        }
    }
}

/// How a value is owned and merged by server-side apply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Merge {
    /// An object field by field; lists and other values as a whole.
    #[default]
    Plain,
    /// An object as a whole.
    Atomic,
    /// A list of scalars. Each has its own owners.
    Set,
    /// A list of objects that these fields identify; a missing field counts as its default.
    Map(Vec<ListKey>),
}

/// A field that identifies the items of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListKey {
    pub name: String,
    pub default: Option<Value>,
}

/// `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatchStrategy {
    /// Items are merged; otherwise the list is replaced.
    pub merge: bool,
    /// Fields that are not in the patch are dropped (volumes, deployment strategy).
    pub retain_keys: bool,
    /// The field that identifies items; None for a list of scalars.
    pub merge_key: Option<String>,
}

impl Schema {
    /// The schema of a built-in kind, by the name of its definition; one that preserves everything if there is none.
    pub fn builtin(definition: &str) -> Arc<Schema> {
        builtin::schema(definition).map_or_else(|| Arc::new(Schema::anything()), Arc::clone)
    }

    /// The schema of an unknown value.
    fn anything() -> Schema {
        Schema { preserves_unknown: true, ..Schema::default() }
    }

    /// The schema of an object's field or of a map's value, if there is one.
    pub fn field(&self, name: &str) -> Option<&Arc<Schema>> {
        self.properties.get(name).or(self.additional.as_ref())
    }
}
