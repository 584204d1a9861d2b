//! Whether a definition's schema says of every field what it is, so that unknown ones can be told apart.

use crate::{
    failure::Cause,
    kinds::value::{has, items, text},
};
use serde_json::{Value, json};

/// Deeper schemas are refused before this is asked; it only bounds the recursion.
const DEEPEST: usize = 128;

/// Where in a schema we are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Field,
    Item,
}

/// What is wrong with an `openAPIV3Schema`.
pub(super) fn structural(schema: &Value, path: &str, causes: &mut Vec<Cause>) {
    node(schema, path, Place::Root, 0, causes);
}

fn node(schema: &Value, path: &str, place: Place, depth: usize, causes: &mut Vec<Cause>) {
    if depth > DEEPEST {
        return;
    }
    let inner = depth + 1;
    let kind = text(schema, "type");
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        node(field, &format!("{path}.properties[{name}]"), Place::Field, inner, causes);
    }
    if schema["additionalProperties"].is_object() {
        node(
            &schema["additionalProperties"],
            &format!("{path}.additionalProperties"),
            Place::Field,
            inner,
            causes,
        );
        if has(schema, "properties") {
            let told = "additionalProperties and properties are mutual exclusive";
            causes.push(Cause::forbidden(format!("{path}.additionalProperties"), told));
        }
    }
    if schema["items"].is_object() {
        node(&schema["items"], &format!("{path}.items"), Place::Item, inner, causes);
    } else if kind == "array" {
        causes.push(Cause::required(format!("{path}.items"), "must be specified"));
    }
    let untyped = schema["x-kubernetes-int-or-string"] == json!(true)
        || schema["x-kubernetes-preserve-unknown-fields"] == json!(true);
    let told = match (kind, place) {
        ("", Place::Root) => "must not be empty at the root",
        ("", Place::Field) if !untyped => "must not be empty for specified object fields",
        ("", Place::Item) if !untyped => "must not be empty for specified array items",
        ("object", _) | (_, Place::Field | Place::Item) => "",
        (_, Place::Root) => {
            let field = format!("{path}.type");
            causes.push(Cause::invalid(field, &schema["type"], "must be object at the root"));
            ""
        }
    };
    if !told.is_empty() {
        causes.push(Cause::required(format!("{path}.type"), told));
    }
    if !matches!(kind, "" | "array" | "boolean" | "integer" | "number" | "object" | "string") {
        let words = ["array", "boolean", "integer", "number", "object", "string"];
        causes.push(Cause::not_supported(format!("{path}.type"), &schema["type"], &words));
    }
    lists(schema, path, causes);
    if schema["uniqueItems"] == json!(true) {
        let told = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        causes.push(Cause::forbidden(format!("{path}.uniqueItems"), told));
    }
    if schema["nullable"] == json!(true) && place == Place::Root {
        causes.push(Cause::forbidden(format!("{path}.nullable"), "nullable cannot be true at the root"));
    }
}

fn lists(schema: &Value, path: &str, causes: &mut Vec<Cause>) {
    let list = text(schema, "x-kubernetes-list-type");
    let keys = items(schema, "x-kubernetes-list-map-keys");
    if !matches!(list, "" | "atomic" | "set" | "map") {
        let field = format!("{path}.x-kubernetes-list-type");
        causes.push(Cause::not_supported(field, &json!(list), &["atomic", "map", "set"]));
    }
    let field = format!("{path}.x-kubernetes-list-map-keys");
    if list == "map" && keys.is_empty() {
        causes.push(Cause::required(field, "must not be empty if x-kubernetes-list-type is map"));
    } else if list != "map" && !keys.is_empty() {
        let told = "must be map if x-kubernetes-list-map-keys is non-empty";
        if list.is_empty() {
            causes.push(Cause::required(format!("{path}.x-kubernetes-list-type"), told));
        } else {
            causes.push(Cause::invalid(format!("{path}.x-kubernetes-list-type"), &json!(list), told));
        }
    }
}
