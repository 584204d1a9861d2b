//! Random objects that a schema admits.
//!
//! An object follows from a list of choices, which proptest makes and shrinks: fewer and smaller choices make smaller
//! objects. Text is any text, whatever pattern the schema has: conversion reads no text but that of kinds.

use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value, json};
use std::vec::IntoIter;

/// Choices to make an object from.
#[derive(Debug)]
pub struct Choices(IntoIter<u16>);

impl Choices {
    /// A number below `limit`; zero when the list has ended.
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.0.next().unwrap_or_default()) % limit
    }
}

/// Lists of choices.
pub fn choices() -> impl Strategy<Value = Vec<u16>> {
    vec(any::<u16>(), 0..600)
}

/// An object of a kind, with metadata.
pub fn object(api_version: &str, kind: &str, schema: &Value, choices: Vec<u16>) -> Value {
    let choices = &mut Choices(choices.into_iter());
    let mut object = json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "acme", "namespace": "registry", "uid": "1", "resourceVersion": "2"},
    });
    if choices.below(2) == 1 {
        object["metadata"]["annotations"] = json!({"example.com/a": TEXTS[choices.below(TEXTS.len())]});
    }
    for part in ["spec", "status"] {
        let schema = &schema["properties"][part];
        if part == "spec" || choices.below(2) == 1 {
            object[part] = value(schema, choices);
        }
    }
    object
}

const TEXTS: [&str; 8] = ["", "a", "1", "true", "ü\n\"'", "~0/~1", "goharbor.io/v1alpha3", "{}"];

fn value(schema: &Value, choices: &mut Choices) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return values[choices.below(values.len())].clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return [json!(1), json!("50%")][choices.below(2)].clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => [json!(false), json!(true)][choices.below(2)].clone(),
        Some("integer") => {
            [json!(0), json!(1), json!(-1), json!(i64::MAX), json!(i64::MIN)][choices.below(5)].clone()
        }
        Some("number") => [json!(0.0), json!(0.1), json!(1)][choices.below(3)].clone(),
        Some("string") => TEXTS[choices.below(TEXTS.len())].into(),
        Some("array") => (0..choices.below(3)).map(|_| value(&schema["items"], choices)).collect(),
        Some("object") => fields(schema, choices).into(),
        _ => [json!({}), json!({"a": [1, null]}), json!("a")][choices.below(3)].clone(),
    }
}

fn fields(schema: &Value, choices: &mut Choices) -> Map<String, Value> {
    let required = |name: &String| {
        schema["required"].as_array().is_some_and(|required| required.iter().any(|listed| listed == name))
    };
    let mut fields = Map::new();
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        if choices.below(3) == 1 || required(name) {
            fields.insert(name.clone(), value(below, choices));
        }
    }
    if schema["additionalProperties"].is_object() {
        for name in TEXTS.iter().take(choices.below(3)) {
            fields.insert((*name).to_owned(), value(&schema["additionalProperties"], choices));
        }
    }
    fields
}

/// Edits of values of an object, without adding or removing any: what a client changes.
pub fn edit(value: &mut Value, choices: &mut Choices) {
    match value {
        Value::Object(fields) => {
            for value in fields.values_mut() {
                edit(value, choices);
            }
        }
        Value::Array(items) => {
            if choices.below(3) == 1 {
                items.reverse();
            }
            for item in items {
                edit(item, choices);
            }
        }
        Value::String(text) if choices.below(3) == 1 => text.push('x'),
        Value::Number(_) if choices.below(3) == 1 => *value = json!(42),
        Value::Bool(bool) if choices.below(3) == 1 => *bool = !*bool,
        Value::Null | Value::String(_) | Value::Number(_) | Value::Bool(_) => {}
    }
}

impl From<Vec<u16>> for Choices {
    fn from(choices: Vec<u16>) -> Self {
        Self(choices.into_iter())
    }
}
