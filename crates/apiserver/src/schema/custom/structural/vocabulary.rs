//! Which keywords schemas may have, and where.

use super::{Check, properties};
use crate::schema::{
    custom::{field_errors, node::DEPTH, rule::normal_path},
    extensions::{is, text},
};
use serde_json::Value;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// The position of a schema in an object.
#[derive(Clone, Copy, Default)]
pub(super) struct Place<'a> {
    /// Inside the metadata of an object.
    in_metadata: bool,
    /// Why defaults are not allowed.
    no_defaults: Option<&'a str>,
}

impl Check {
    /// Which keywords are allowed, and how they must fit together.
    pub(super) fn schema(&mut self, schema: &Value, place: Place<'_>, depth: usize) {
        if depth > DEPTH {
            return;
        }
        self.vocabulary(schema, place);
        let values = schema.get("additionalProperties").filter(|values| !values.is_null());
        if values.is_some_and(|values| values != &Value::Bool(true)) && properties(schema).next().is_some() {
            self.at("additionalProperties", |check| {
                check.forbid("additionalProperties and properties are mutual exclusive");
            });
        }
        if let Some(values) = values.filter(|values| values.is_object()) {
            let inside = if place.in_metadata {
                Place {
                    no_defaults: Some("inside additionalProperties applying to object metadata"),
                    ..place
                }
            } else {
                place
            };
            self.at("additionalProperties", |check| check.schema(values, inside, depth + 1));
        }
        let is_object = depth == 0 || is(schema, "x-kubernetes-embedded-resource");
        for (name, property) in properties(schema) {
            let is_identity = is_object && matches!(name.as_str(), "metadata" | "kind" | "apiVersion");
            let reason = format!("in top-level {name}");
            let inside = if is_identity {
                let no_defaults = if depth == 0 { Some(reason.as_str()) } else { place.no_defaults };
                Place { in_metadata: true, no_defaults }
            } else {
                place
            };
            self.at_property(name, |check| check.schema(property, inside, depth + 1));
        }
        for junctor in ["allOf", "oneOf", "anyOf"] {
            let parts = schema.get(junctor).and_then(Value::as_array);
            for (index, part) in parts.into_iter().flatten().enumerate() {
                self.at(junctor, |check| {
                    let mark = check.path.index(index);
                    check.schema(part, place, depth + 1);
                    check.path.leave(mark);
                });
            }
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.at("items", |check| check.schema(items, place, depth + 1));
        }
        self.merging(schema);
        self.rules(schema);
    }

    fn vocabulary(&mut self, schema: &Value, place: Place<'_>) {
        if let Some(kind) = text(schema, "type").filter(|kind| !kind.is_empty() && !TYPES.contains(kind)) {
            let types = TYPES.map(str::to_owned);
            let cause = |check: &mut Self| {
                check.causes.push(field_errors::not_supported(
                    &check.path,
                    &Value::String(kind.to_owned()),
                    &types,
                ));
                if kind == "null" {
                    check.forbid("type cannot be set to null, use nullable as an alternative");
                }
            };
            self.at("type", cause);
        }
        if let Some(reason) =
            place.no_defaults.filter(|_| schema.get("default").is_some_and(|said| !said.is_null()))
        {
            self.at("default", |check| check.forbid(&format!("must not be set {reason}")));
        }
        for attribute in ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]
        {
            if schema.get(attribute).is_some_and(|said| !said.is_null()) {
                self.at(attribute, |check| check.forbid(&format!("{attribute} is not supported")));
            }
        }
        if schema.get("items").is_some_and(Value::is_array) {
            self.at("items", |check| check.forbid("items must be a schema object and not an array"));
        }
        if is(schema, "uniqueItems") {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.at("uniqueItems", |check| check.forbid(detail));
        }
        if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
            self.invalid(
                "x-kubernetes-preserve-unknown-fields",
                &Value::Bool(false),
                "must be true or undefined",
            );
        }
        if place.in_metadata && is(schema, "x-kubernetes-embedded-resource") {
            self.at("x-kubernetes-embedded-resource", |check| {
                check.forbid("must not be used inside of resource meta");
            });
        }
    }

    fn rules(&mut self, schema: &Value) {
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        for (index, rule) in rules.into_iter().flatten().enumerate() {
            let marks = [self.path.field("x-kubernetes-validations"), self.path.index(index)];
            self.rule(schema, rule);
            let [outer, inner] = marks;
            self.path.leave(inner);
            self.path.leave(outer);
        }
    }

    fn rule(&mut self, schema: &Value, rule: &Value) {
        let given = |attribute: &str| text(rule, attribute).unwrap_or_default();
        let (expression, message) = (given("rule").trim(), given("message"));
        let shown = |text: &str| Value::String(text.to_owned());
        if expression.is_empty() {
            self.at("rule", |check| check.require("rule is not specified"));
        } else if !message.is_empty() && message.trim().is_empty() {
            self.invalid("message", &shown(message), "must be non-empty if specified");
        } else if message.trim().contains('\n') {
            self.invalid("message", &shown(message), "must not contain line breaks");
        } else if expression.contains('\n') && message.is_empty() {
            self.at("message", |check| {
                check.require("message must be specified if rule contains line breaks");
            });
        }
        let computed = given("messageExpression");
        if !computed.is_empty() && computed.trim().is_empty() {
            self.at("messageExpression", |check| {
                check.require("messageExpression must be non-empty if specified");
            });
        }
        if let Some(reason) = text(rule, "reason").filter(|reason| !REASONS.contains(reason)) {
            let known = REASONS.map(str::to_owned);
            self.at("reason", |check| {
                check.causes.push(field_errors::not_supported(&check.path, &shown(reason), &known));
            });
        }
        let path = given("fieldPath");
        if !path.is_empty() && normal_path(schema, path).is_none() {
            self.invalid("fieldPath", &shown(path), "must be a valid path");
        }
    }
}
