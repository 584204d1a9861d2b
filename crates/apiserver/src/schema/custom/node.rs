//! The schema of a CustomResourceDefinition, with compiled patterns and rules.

use super::{patterns::compiled, rule::Rule};
use crate::schema::{
    Type,
    extensions::{is, text},
};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum depth of a schema.
pub(super) const DEPTH: usize = 64;

/// One value's schema.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "many keywords of a schema are booleans")]
pub(super) struct Node {
    pub kind: Option<Type>,
    pub nullable: bool,
    pub properties: BTreeMap<String, Node>,
    pub additional: Additional,
    pub items: Option<Box<Node>>,
    pub preserves_unknown: bool,
    pub embedded: bool,
    pub list: List,
    pub atomic: bool,
    pub default: Option<Value>,
    pub format: Option<String>,
    pub bounds: Bounds,
    pub all_of: Vec<Node>,
    pub any_of: Vec<Node>,
    pub one_of: Vec<Node>,
    pub not: Option<Box<Node>>,
    pub rules: Vec<Rule>,
    /// Whether there are rules here or below.
    pub has_rules: bool,
}

/// `additionalProperties`
#[derive(Debug, Default)]
pub(super) enum Additional {
    #[default]
    Unsaid,
    Anything,
    Nothing,
    Values(Box<Node>),
}

/// `x-kubernetes-list-type`
#[derive(Debug, Default, PartialEq)]
pub(super) enum List {
    #[default]
    Atomic,
    Set,
    Map(Vec<String>),
}

/// Limits of a single value.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub choices: Vec<Value>,
    pub maximum: Option<f64>,
    pub exclusive_maximum: bool,
    pub minimum: Option<f64>,
    pub exclusive_minimum: bool,
    pub multiple_of: Option<f64>,
    pub max_length: Option<u64>,
    pub min_length: Option<u64>,
    pub pattern: Option<Regex>,
    pub max_items: Option<u64>,
    pub min_items: Option<u64>,
    pub max_properties: Option<u64>,
    pub min_properties: Option<u64>,
    pub required: Vec<String>,
}

impl Node {
    /// The schema of whole objects.
    pub fn root(schema: &Value) -> Self {
        Self::parse(schema, 0)
    }

    fn parse(schema: &Value, depth: usize) -> Self {
        if depth > DEPTH {
            return Self { preserves_unknown: true, ..Self::default() };
        }
        let child = |attribute: &str| schema.get(attribute).map(|child| Self::parse(child, depth + 1));
        let children = |attribute: &str| -> Vec<Self> {
            let all = schema.get(attribute).and_then(Value::as_array);
            all.into_iter().flatten().map(|child| Self::parse(child, depth + 1)).collect()
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut node = Self {
            kind: if is(schema, "x-kubernetes-int-or-string") {
                Some(Type::IntOrString)
            } else {
                text(schema, "type").and_then(Type::parse)
            },
            nullable: is(schema, "nullable"),
            properties: properties
                .into_iter()
                .flatten()
                .map(|(name, property)| (name.clone(), Self::parse(property, depth + 1)))
                .collect(),
            additional: match schema.get("additionalProperties") {
                None | Some(Value::Null) => Additional::Unsaid,
                Some(Value::Bool(false)) => Additional::Nothing,
                Some(Value::Object(_)) => child("additionalProperties")
                    .map_or(Additional::Anything, |values| Additional::Values(Box::new(values))),
                Some(_) => Additional::Anything,
            },
            items: child("items").map(Box::new),
            preserves_unknown: is(schema, "x-kubernetes-preserve-unknown-fields"),
            embedded: is(schema, "x-kubernetes-embedded-resource"),
            list: List::parse(schema),
            atomic: text(schema, "x-kubernetes-map-type") == Some("atomic"),
            default: schema.get("default").filter(|default| !default.is_null()).cloned(),
            format: text(schema, "format").map(str::to_owned),
            bounds: Bounds::parse(schema),
            all_of: children("allOf"),
            any_of: children("anyOf"),
            one_of: children("oneOf"),
            not: child("not").map(Box::new),
            rules: Rule::all(schema),
            has_rules: false,
        };
        node.has_rules = !node.rules.is_empty()
            || node
                .properties
                .values()
                .chain(node.values())
                .chain(node.items.as_deref())
                .any(|child| child.has_rules);
        node
    }

    /// The schema of a field or of a map's value.
    pub fn field(&self, name: &str) -> Option<&Node> {
        self.properties.get(name).or_else(|| self.values())
    }

    /// The schema of a map's values.
    pub fn values(&self) -> Option<&Node> {
        match &self.additional {
            Additional::Values(values) => Some(values),
            _ => None,
        }
    }

    /// Whether an object of this schema has fields instead of arbitrary keys.
    pub fn is_struct(&self) -> bool {
        matches!(self.additional, Additional::Unsaid | Additional::Nothing)
    }
}

impl List {
    fn parse(schema: &Value) -> Self {
        match text(schema, "x-kubernetes-list-type") {
            Some("set") => Self::Set,
            Some("map") => {
                let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
                Self::Map(keys.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
            }
            _ => Self::Atomic,
        }
    }
}

impl Bounds {
    fn parse(schema: &Value) -> Self {
        let number = |attribute: &str| schema.get(attribute).and_then(Value::as_f64);
        let count = |attribute: &str| schema.get(attribute).and_then(Value::as_u64);
        let required = schema.get("required").and_then(Value::as_array);
        Self {
            choices: schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default(),
            maximum: number("maximum"),
            exclusive_maximum: is(schema, "exclusiveMaximum"),
            minimum: number("minimum"),
            exclusive_minimum: is(schema, "exclusiveMinimum"),
            multiple_of: number("multipleOf"),
            max_length: count("maxLength"),
            min_length: count("minLength"),
            pattern: text(schema, "pattern")
                .filter(|pattern| !pattern.is_empty())
                .and_then(|pattern| compiled(pattern).ok()),
            max_items: count("maxItems"),
            min_items: count("minItems"),
            max_properties: count("maxProperties"),
            min_properties: count("minProperties"),
            required: required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }
}
