//! OpenAPI 2: everything in one document, without what only version 3 can express.

use super::{
    operations::{Body, Operation, operations},
    schemas::{Form, REFERENCE, closure, definition},
};
use crate::discovery::served::Group;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const SECOND_REFERENCE: &str = "#/definitions/";

/// `/openapi/v2`
pub(in crate::discovery) fn document(groups: &[Group], definitions: &BTreeMap<String, Value>) -> Value {
    let versions = || groups.iter().flat_map(|group| &group.versions);
    let operations: Vec<Operation> = versions().flat_map(operations).collect();
    let mut paths = Map::new();
    for operation in &operations {
        let item = paths
            .entry(operation.path.clone())
            .or_insert_with(|| json!({"parameters": path_parameters(&operation.path)}));
        item[operation.method] = rendered(operation);
    }
    let kinds = versions().flat_map(|version| &version.kinds);
    let schemas: Map<String, Value> = closure(kinds, &operations, definitions, Form::Second(&simplified))
        .into_iter()
        .map(|(name, schema)| (name, translated(&schema)))
        .collect();
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1.33.0-sandbox"},
        "paths": paths,
        "definitions": schemas,
    })
}

fn path_parameters(path: &str) -> Vec<Value> {
    let mut parameters: Vec<Value> = ["name", "namespace"]
        .into_iter()
        .filter(|name| path.contains(&format!("{{{name}}}")))
        .map(|name| {
            json!({"name": name, "in": "path", "type": "string", "required": true, "uniqueItems": true})
        })
        .collect();
    parameters.push(json!({"name": "pretty", "in": "query", "type": "string", "uniqueItems": true}));
    parameters
}

fn rendered(operation: &Operation) -> Value {
    let reference = |name: &str| json!({"$ref": format!("{SECOND_REFERENCE}{name}")});
    let mut parameters: Vec<Value> = operation
        .query
        .iter()
        .map(|(name, kind)| json!({"name": name, "in": "query", "type": kind, "uniqueItems": true}))
        .collect();
    let (body, consumes) = match &operation.body {
        Body::None => (None, ["*/*"].as_slice()),
        Body::Definition(name) => (Some(reference(name)), ["*/*"].as_slice()),
        Body::Patch(medias) => (Some(reference(&definition("meta", "v1", "Patch"))), *medias),
    };
    if let Some(schema) = body {
        parameters.insert(
            0,
            json!({"name": "body", "in": "body", "required": operation.method != "delete", "schema": schema}),
        );
    }
    json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "description": operation.description,
        "consumes": consumes,
        "produces": ["application/json", "application/yaml"],
        "schemes": ["https"],
        "parameters": parameters,
        "responses": {
            "200": {"description": "OK", "schema": reference(&operation.answer)},
            "401": {"description": "Unauthorized"},
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": operation.group_version_kind,
    })
}

/// A custom kind's schema without what kubectl's reading of version 2 trips over: a value that may be null,
/// or may have any fields, has no type and no fields there.
fn simplified(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let is = |name: &str| fields.get(name) == Some(&Value::Bool(true));
    let shapeless = is("nullable") || is("x-kubernetes-preserve-unknown-fields");
    let mut simple = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("allOf" | "anyOf" | "oneOf" | "not" | "nullable", _) => {}
            ("type" | "properties" | "items" | "required", _) if shapeless => {}
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter().map(|(name, schema)| (name.clone(), simplified(schema)));
                simple.insert(name.clone(), Value::Object(properties.collect()));
            }
            ("items" | "additionalProperties", schema) => {
                simple.insert(name.clone(), simplified(schema));
            }
            ("required", Value::Array(required)) => {
                let required = required.iter().filter(|name| !may_be_null(fields, name)).cloned().collect();
                simple.insert(name.clone(), Value::Array(required));
            }
            _ => {
                simple.insert(name.clone(), value.clone());
            }
        }
    }
    if simple.get("type").is_some_and(|kind| kind == "array") && !simple.contains_key("items") {
        simple.remove("type");
    }
    Value::Object(simple)
}

fn may_be_null(schema: &Map<String, Value>, property: &Value) -> bool {
    property
        .as_str()
        .and_then(|property| schema.get("properties")?.get(property)?.get("nullable"))
        .is_some_and(|nullable| *nullable == Value::Bool(true))
}

/// A schema of version 3 in the terms of version 2.
fn translated(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if let Some(reference) = reference(fields) {
        let mut referring = Map::from_iter([("$ref".to_owned(), reference.into())]);
        let beside = fields.iter().filter(|(name, _)| *name == "description" || name.starts_with("x-"));
        referring.extend(beside.map(|(name, value)| (name.clone(), value.clone())));
        return Value::Object(referring);
    }
    let mut plain = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("oneOf" | "anyOf", _) if !fields.contains_key("type") => {
                // A quantity, or a number that may be text: version 2 calls both text.
                if !fields.contains_key("x-kubernetes-int-or-string") {
                    plain.insert("type".into(), "string".into());
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "not" | "nullable" | "default", _) => {}
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter().map(|(name, schema)| (name.clone(), translated(schema)));
                plain.insert(name.clone(), Value::Object(properties.collect()));
            }
            ("items" | "additionalProperties", schema) => {
                plain.insert(name.clone(), translated(schema));
            }
            _ => {
                plain.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(plain)
}

/// What a schema refers to, directly or as its only part.
fn reference(fields: &Map<String, Value>) -> Option<String> {
    let of = |value: &Value| Some(value.as_str()?.replacen(REFERENCE, SECOND_REFERENCE, 1));
    fields.get("$ref").and_then(of).or_else(|| match fields.get("allOf")?.as_array()?.as_slice() {
        [only] => of(only.get("$ref")?),
        _ => None,
    })
}
