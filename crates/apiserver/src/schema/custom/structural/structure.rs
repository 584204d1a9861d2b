//! The invariants of structural schemas.

use super::{Check, properties};
use crate::{
    failure::Cause,
    schema::{
        custom::{node::DEPTH, patterns::compiled},
        extensions::{is, text},
    },
};
use serde_json::Value;

/// What a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Root,
    Item,
    Field,
}

/// The schema of the values that a junctor constrains.
struct Described<'a> {
    schema: &'a Value,
    path: String,
}

impl Described<'_> {
    fn property(&self, name: &str) -> Option<Described<'_>> {
        let schema = self.schema.get("properties")?.get(name)?;
        Some(Described { schema, path: format!("{}.properties[{name}]", self.path) })
    }

    fn items(&self) -> Option<Described<'_>> {
        Some(Described { schema: self.schema.get("items")?, path: format!("{}.items", self.path) })
    }
}

impl Check {
    /// The invariants of structural schemas.
    pub(super) fn structure(&mut self, schema: &Value, level: Level, depth: usize) {
        if depth > DEPTH {
            self.refuse("schema is nested too deeply");
            return;
        }
        let kind = text(schema, "type").unwrap_or_default();
        let preserves = is(schema, "x-kubernetes-preserve-unknown-fields");
        let int_or_string = is(schema, "x-kubernetes-int-or-string");
        let embedded = is(schema, "x-kubernetes-embedded-resource");
        if kind == "array" && schema.get("items").is_none() {
            self.at("items", |check| check.require("must be specified"));
        }
        if let Some(items) = schema.get("items") {
            self.at("items", |check| check.structure(items, Level::Item, depth + 1));
        }
        for (name, property) in properties(schema) {
            self.at_property(name, |check| check.structure(property, Level::Field, depth + 1));
        }
        if let Some(values) = schema.get("additionalProperties") {
            self.at("additionalProperties", |check| {
                if level == Level::Root {
                    check.forbid("must not be used at the root");
                }
                if embedded {
                    check.forbid("must not be used if x-kubernetes-embedded-resource is set");
                }
                if values.is_object() {
                    check.structure(values, Level::Field, depth + 1);
                }
            });
        }
        if int_or_string && preserves {
            self.invalid(
                "x-kubernetes-preserve-unknown-fields",
                &Value::Bool(true),
                "must be false if x-kubernetes-int-or-string is true",
            );
        }
        if int_or_string && embedded {
            self.invalid(
                "x-kubernetes-embedded-resource",
                &Value::Bool(true),
                "must be false if x-kubernetes-int-or-string is true",
            );
        }
        self.kind(kind, level, embedded, int_or_string || preserves);
        if level == Level::Root || embedded {
            self.identity(schema, level);
        }
        if embedded && !preserves && properties(schema).next().is_none() {
            self.at("properties", |check| {
                check.require("must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
            });
        }
        let described = (level == Level::Root).then(|| Described { schema, path: self.path.to_string() });
        self.junctors(schema, described.as_ref(), depth);
    }

    fn kind(&mut self, kind: &str, level: Level, embedded: bool, may_be_unsaid: bool) {
        let given = Value::String(kind.to_owned());
        self.at("type", |check| match (kind, level) {
            ("", _) if embedded => check.require("must be object if x-kubernetes-embedded-resource is true"),
            (other, _) if embedded && other != "object" => {
                check.refuse_value(&given, "must be object if x-kubernetes-embedded-resource is true");
            }
            ("", _) if may_be_unsaid => {}
            ("", Level::Root) => check.require("must not be empty at the root"),
            ("", Level::Item) => check.require("must not be empty for specified array items"),
            ("", Level::Field) => check.require("must not be empty for specified object fields"),
            (other, Level::Root) if other != "object" => {
                check.refuse_value(&given, "must be object at the root");
            }
            _ => {}
        });
    }

    /// Constraints on the fields that every object has.
    fn identity(&mut self, schema: &Value, level: Level) {
        for (name, expected) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
            let Some(property) = schema.get("properties").and_then(|all| all.get(name)) else { continue };
            let kind = text(property, "type").unwrap_or_default();
            self.at_property(name, |check| {
                if kind != expected {
                    check.invalid("type", &Value::String(kind.to_owned()), &format!("must be {expected}"));
                }
                let says_more = properties(property).any(|(name, _)| !matches!(name.as_str(), "name" | "generateName"));
                if level == Level::Root && name == "metadata" && says_more {
                    check.forbid(
                        "must not specify anything other than name and generateName, but metadata is implicitly specified",
                    );
                }
            });
        }
    }

    /// `anyOf` and the other junctors may only constrain values, not describe them. Kubernetes searches for the
    /// description only in the root.
    fn junctors(&mut self, schema: &Value, described: Option<&Described<'_>>, depth: usize) {
        if depth > DEPTH {
            return;
        }
        let tolerated = is_int_or_string(schema.get("anyOf"));
        for junctor in ["anyOf", "allOf", "oneOf"] {
            if junctor == "anyOf" && tolerated {
                continue;
            }
            let parts = schema.get(junctor).and_then(Value::as_array);
            for (index, part) in parts.into_iter().flatten().enumerate() {
                self.at(junctor, |check| {
                    let mark = check.path.index(index);
                    check.nested(part, described, depth + 1);
                    check.path.leave(mark);
                });
            }
        }
        if let Some(part) = schema.get("not") {
            self.at("not", |check| check.nested(part, described, depth + 1));
        }
        if let Some(pattern) = text(schema, "pattern")
            && let Err(problem) = compiled(pattern)
        {
            let problem = problem.to_string();
            let reason = problem.lines().last().unwrap_or_default();
            let detail = format!("must be a valid regular expression, but isn't: {reason}");
            self.invalid("pattern", &Value::String(pattern.to_owned()), &detail);
        }
    }

    fn nested(&mut self, part: &Value, described: Option<&Described<'_>>, depth: usize) {
        if depth > DEPTH {
            return;
        }
        for (attribute, detail) in [
            ("type", "must be empty to be structural"),
            ("additionalProperties", "must be undefined to be structural"),
            ("default", "must be undefined to be structural"),
            ("title", "must be empty to be structural"),
            ("description", "must be empty to be structural"),
            ("nullable", "must be false to be structural"),
            ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
            ("x-kubernetes-embedded-resource", "must be false to be structural"),
            ("x-kubernetes-int-or-string", "must be false to be structural"),
            ("x-kubernetes-list-map-keys", "must be empty to be structural"),
            ("x-kubernetes-list-type", "must be undefined to be structural"),
            ("x-kubernetes-map-type", "must be undefined to be structural"),
            ("x-kubernetes-validations", "must be empty to be structural"),
        ] {
            let is_said = part.get(attribute).is_some_and(|said| {
                !matches!(said, Value::Null | Value::Bool(false))
                    && said.as_str() != Some("")
                    && said.as_array().is_none_or(|all| !all.is_empty())
            });
            if is_said {
                self.at(attribute, |check| check.forbid(detail));
            }
        }
        self.junctors(part, described, depth);
        for (name, property) in properties(part) {
            let known = described.and_then(|described| described.property(name));
            self.at_property(name, |check| {
                if name == "metadata" {
                    check.forbid("must not be specified in a nested context");
                }
                if let Some(described) = described.filter(|_| known.is_none()) {
                    let detail = format!("because it is defined in {}", check.path);
                    check
                        .causes
                        .push(Cause::required(format!("{}.properties[{name}]", described.path), &detail));
                }
                check.nested(property, known.as_ref(), depth + 1);
            });
        }
        if let Some(item) = part.get("items") {
            let known = described.and_then(Described::items);
            self.at("items", |check| check.nested(item, known.as_ref(), depth + 1));
        }
    }
}

/// The only types in a junctor that are allowed.
fn is_int_or_string(any_of: Option<&Value>) -> bool {
    any_of == Some(&serde_json::json!([{"type": "integer"}, {"type": "string"}]))
}
