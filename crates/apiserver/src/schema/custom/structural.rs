//! What a schema must be for a custom kind to be served: structural, with sound defaults and rules that compile.

use super::{
    correlation::Correlation,
    node::{DEPTH, List, Node},
    openapi, prune, rules, told,
};
use crate::{
    failure::Cause,
    schema::{
        extensions::{is, text},
        path::Path,
    },
};
use regex::Regex;
use serde_json::{Map, Value};

/// What is wrong with a schema, rules and defaults aside.
pub(super) fn wrong(schema: &Value) -> Vec<Cause> {
    let mut path = Path::default();
    let mark = path.field("openAPIV3Schema");
    let mut check = Check { path, causes: Vec::new() };
    check.structure(schema, Level::Root, 0);
    check.causes.sort_by_cached_key(|cause| format!("{}: {}", cause.field, cause.message));
    check.schema(schema, Place::default(), 0);
    check.path.leave(mark);
    check.causes
}

/// Defaults that their own schema would refuse or prune.
pub(super) fn wrong_defaults(root: &Node) -> Vec<Cause> {
    let mut path = Path::default();
    let _mark = path.field("openAPIV3Schema");
    let mut causes = Vec::new();
    each(root, &mut path, &mut |node, path| {
        let Some(default) = &node.default else { return };
        let mark = path.field("default");
        if !prune::is_pruned(node, default) {
            causes.push(told::invalid(path, default, "must not have unknown fields"));
        }
        let refused = openapi::wrong(node, default, Correlation::none());
        let sound = refused.is_empty();
        causes.extend(refused.into_iter().map(|cause| below(path, cause)));
        if sound {
            causes.extend(rules::broken_at(path, node, default, Some(default)));
        }
        path.leave(mark);
    });
    causes
}

/// A complaint about part of a value, as one about the value at a place.
fn below(path: &Path, cause: Cause) -> Cause {
    let field = match cause.field.as_str() {
        crate::schema::path::ROOT => path.named(),
        within => format!("{path}.{within}"),
    };
    Cause { field, ..cause }
}

/// Rules that do not compile, or that ask for old values where there are none.
pub(super) fn wrong_rules(root: &Node) -> Vec<Cause> {
    let mut path = Path::default();
    let _mark = path.field("openAPIV3Schema");
    let mut causes = Vec::new();
    let mut atomic: Vec<String> = Vec::new();
    each(root, &mut path, &mut |node, path| {
        let here = path.named();
        atomic.retain(|list| here.starts_with(&format!("{list}.items")));
        for (index, rule) in node.rules.iter().enumerate() {
            let marks = [path.field("x-kubernetes-validations"), path.index(index)];
            let mark = path.field("rule");
            if let Err(problem) = &rule.program {
                causes.push(told::invalid(path, &rule.shown(), problem));
            } else if rule.uses_old_self
                && let Some(list) = atomic.first()
            {
                let detail = format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}");
                causes.push(told::invalid(path, &Value::String(rule.text.clone()), detail));
            }
            path.leave(mark);
            if let Some((_, Err(problem))) = &rule.message_expression {
                let mark = path.field("messageExpression");
                causes.push(told::invalid(path, &rule.shown(), problem));
                path.leave(mark);
            }
            if let Some(optional) = rule.optional_old_self.filter(|_| !rule.uses_old_self && rule.program.is_ok()) {
                let mark = path.field("optionalOldSelf");
                causes.push(told::invalid(path, &Value::Bool(optional), "may not be set if oldSelf is not used in rule"));
                path.leave(mark);
            }
            let [validations, item] = marks;
            path.leave(item);
            path.leave(validations);
        }
        if node.items.is_some() && !matches!(node.list, List::Map(_)) {
            atomic.push(here);
        }
    });
    causes
}

/// Visits a schema and everything below it that values have, with the path of each.
fn each(node: &Node, path: &mut Path, visit: &mut impl FnMut(&Node, &mut Path)) {
    visit(node, path);
    for (name, property) in &node.properties {
        let marks = [path.field("properties"), path.key(name)];
        each(property, path, visit);
        let [outer, inner] = marks;
        path.leave(inner);
        path.leave(outer);
    }
    if let Some(values) = node.values() {
        let mark = path.field("additionalProperties");
        each(values, path, visit);
        path.leave(mark);
    }
    if let Some(item) = &node.items {
        let mark = path.field("items");
        each(item, path, visit);
        path.leave(mark);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Where in an object a schema applies.
#[derive(Clone, Copy, Default)]
struct Place<'a> {
    /// Inside the metadata of an object.
    in_metadata: bool,
    /// Why there must be no defaults.
    no_defaults: Option<&'a str>,
}

struct Check {
    path: Path,
    causes: Vec<Cause>,
}

impl Check {
    /// The invariants of structural schemas.
    fn structure(&mut self, schema: &Value, level: Level, depth: usize) {
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
            self.invalid("x-kubernetes-preserve-unknown-fields", &Value::Bool(true), "must be false if x-kubernetes-int-or-string is true");
        }
        if int_or_string && embedded {
            self.invalid("x-kubernetes-embedded-resource", &Value::Bool(true), "must be false if x-kubernetes-int-or-string is true");
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
        self.junctors(schema, schema, depth);
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
            (other, Level::Root) if other != "object" => check.refuse_value(&given, "must be object at the root"),
            _ => {}
        });
    }

    /// Schemas may say little about what every object has.
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

    /// `anyOf` and its like may only limit values, not describe them. `described` is the schema that does.
    fn junctors(&mut self, schema: &Value, described: &Value, depth: usize) {
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
            && let Err(problem) = Regex::new(pattern)
        {
            let problem = problem.to_string();
            let reason = problem.lines().last().unwrap_or_default();
            let detail = format!("must be a valid regular expression, but isn't: {reason}");
            self.invalid("pattern", &Value::String(pattern.to_owned()), &detail);
        }
    }

    fn nested(&mut self, part: &Value, described: &Value, depth: usize) {
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
                !matches!(said, Value::Null | Value::Bool(false)) && said.as_str() != Some("") && said.as_array().is_none_or(|all| !all.is_empty())
            });
            if is_said {
                self.at(attribute, |check| check.forbid(detail));
            }
        }
        self.junctors(part, described, depth);
        for (name, property) in properties(part) {
            let known = described.get("properties").and_then(|all| all.get(name));
            let place = self.path.to_string();
            self.at_property(name, |check| {
                if name == "metadata" {
                    check.forbid("must not be specified in a nested context");
                }
                match known {
                    Some(known) => check.nested(property, known, depth + 1),
                    None => {
                        let detail = format!("because it is defined in {place}.properties[{name}]");
                        let base = structural_base(&place);
                        check.causes.push(Cause::required(format!("{base}.properties[{name}]"), &detail));
                    }
                }
            });
        }
        if let (Some(item), Some(known)) = (part.get("items"), described.get("items")) {
            self.at("items", |check| check.nested(item, known, depth + 1));
        }
    }

    /// What schemas may say at all, and how what they say must fit together.
    fn schema(&mut self, schema: &Value, place: Place<'_>, depth: usize) {
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
                Place { no_defaults: Some("inside additionalProperties applying to object metadata"), ..place }
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
        const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
        if let Some(kind) = text(schema, "type").filter(|kind| !kind.is_empty() && !TYPES.contains(kind)) {
            let types = TYPES.map(str::to_owned);
            let cause = |check: &mut Self| {
                check.causes.push(told::not_supported(&check.path, &Value::String(kind.to_owned()), &types));
                if kind == "null" {
                    check.forbid("type cannot be set to null, use nullable as an alternative");
                }
            };
            self.at("type", cause);
        }
        if let Some(reason) = place.no_defaults.filter(|_| schema.get("default").is_some_and(|said| !said.is_null())) {
            self.at("default", |check| check.forbid(&format!("must not be set {reason}")));
        }
        for attribute in ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] {
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
            self.invalid("x-kubernetes-preserve-unknown-fields", &Value::Bool(false), "must be true or undefined");
        }
        if place.in_metadata && is(schema, "x-kubernetes-embedded-resource") {
            self.at("x-kubernetes-embedded-resource", |check| check.forbid("must not be used inside of resource meta"));
        }
    }

    fn merging(&mut self, schema: &Value) {
        let kind = text(schema, "type").unwrap_or_default();
        for (attribute, needed, known) in [
            ("x-kubernetes-map-type", "object", ["atomic", "granular"].as_slice()),
            ("x-kubernetes-list-type", "array", ["atomic", "set", "map"].as_slice()),
        ] {
            let Some(said) = text(schema, attribute) else { continue };
            if kind != needed {
                let detail = format!("must be {needed} if {attribute} is specified");
                self.at("type", |check| match kind {
                    "" => check.require(&detail),
                    kind => check.refuse_value(&Value::String(kind.to_owned()), &detail),
                });
            }
            if !known.contains(&said) {
                let known: Vec<String> = known.iter().map(|word| (*word).to_owned()).collect();
                let said = Value::String(said.to_owned());
                self.at(attribute, |check| check.causes.push(told::not_supported(&check.path, &said, &known)));
            }
        }
        let list = text(schema, "x-kubernetes-list-type");
        let keys: Vec<&str> =
            schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        if !keys.is_empty() && list != Some("map") {
            let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
            self.at("x-kubernetes-list-type", |check| match list {
                None => check.require(detail),
                Some(list) => check.refuse_value(&Value::String(list.to_owned()), detail),
            });
        }
        let items = schema.get("items").unwrap_or(&Value::Null);
        match list {
            Some("map") => self.keys(schema, items, &keys),
            Some("set") => self.set(items),
            _ => {}
        }
    }

    fn set(&mut self, items: &Value) {
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let (attribute, is_wrong) = match text(items, "type") {
            Some("array") => ("x-kubernetes-list-type", text(items, "x-kubernetes-list-type").is_some_and(|list| list != "atomic")),
            Some("object") => ("x-kubernetes-map-type", text(items, "x-kubernetes-map-type") != Some("atomic")),
            _ => ("", false),
        };
        if is_wrong {
            self.at("items", |check| check.invalid(attribute, &Value::Null, detail));
        }
        self.not_nullable(items, "set");
    }

    fn not_nullable(&mut self, items: &Value, list: &str) {
        if is(items, "nullable") {
            self.at("items", |check| {
                check.at("nullable", |check| check.forbid(&format!("cannot be nullable when x-kubernetes-list-type is {list}")));
            });
        }
    }

    fn keys(&mut self, schema: &Value, items: &Value, keys: &[&str]) {
        if keys.is_empty() {
            self.at("x-kubernetes-list-map-keys", |check| check.require("must not be empty if x-kubernetes-list-type is map"));
        }
        if items.is_null() {
            self.at("items", |check| check.require("must have a schema if x-kubernetes-list-type is map"));
            return;
        }
        let kind = text(items, "type").unwrap_or_default();
        if kind != "object" {
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            self.at("items", |check| check.invalid("type", &Value::String(kind.to_owned()), detail));
            return;
        }
        self.not_nullable(items, "map");
        let given = schema.get("x-kubernetes-list-map-keys").cloned().unwrap_or_default();
        let required: Vec<&str> =
            items.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        for (index, key) in keys.iter().enumerate() {
            if keys.iter().take(index).any(|earlier| earlier == key) {
                self.invalid("x-kubernetes-list-map-keys", &given, "must not contain duplicate entries");
            }
            let Some(property) = items.get("properties").and_then(|all| all.get(*key)) else {
                self.invalid("x-kubernetes-list-map-keys", &given, "entries must all be names of item properties");
                continue;
            };
            self.at("items", |check| {
                check.at_property(key, |check| {
                    if matches!(text(property, "type"), Some("array" | "object")) {
                        let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                        check.invalid("type", &Value::String("object".to_owned()), detail);
                    }
                    if !required.contains(key) && property.get("default").is_none_or(Value::is_null) {
                        check.at("default", |check| {
                            check.require("this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
                        });
                    }
                    if is(property, "nullable") {
                        check.at("nullable", |check| {
                            check.forbid("this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
                        });
                    }
                });
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
            self.at("message", |check| check.require("message must be specified if rule contains line breaks"));
        }
        let computed = given("messageExpression");
        if !computed.is_empty() && computed.trim().is_empty() {
            self.at("messageExpression", |check| check.require("messageExpression must be non-empty if specified"));
        }
        const REASONS: [&str; 4] = ["FieldValueRequired", "FieldValueForbidden", "FieldValueInvalid", "FieldValueDuplicate"];
        if let Some(reason) = text(rule, "reason").filter(|reason| !REASONS.contains(reason)) {
            let mut known = REASONS.map(str::to_owned);
            known.sort();
            self.at("reason", |check| check.causes.push(told::not_supported(&check.path, &shown(reason), &known)));
        }
        if let [one] = super::rule::Rule::all(&limited(schema, rule)).as_slice()
            && let Some(Err(path)) = &one.field
        {
            self.invalid("fieldPath", &shown(path), "must be a valid path");
        }
    }

    fn at(&mut self, attribute: &str, check: impl FnOnce(&mut Self)) {
        let mark = self.path.field(attribute);
        check(self);
        self.path.leave(mark);
    }

    fn at_property(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        self.at("properties", |inside| {
            let mark = inside.path.key(name);
            check(inside);
            inside.path.leave(mark);
        });
    }

    fn require(&mut self, detail: &str) {
        self.causes.push(told::required(&self.path, detail));
    }

    fn forbid(&mut self, detail: &str) {
        self.causes.push(told::forbidden(&self.path, detail));
    }

    fn refuse(&mut self, detail: &str) {
        self.refuse_value(&Value::String(String::new()), detail);
    }

    fn refuse_value(&mut self, value: &Value, detail: &str) {
        self.causes.push(told::invalid(&self.path, value, detail));
    }

    fn invalid(&mut self, attribute: &str, value: &Value, detail: &str) {
        self.at(attribute, |check| check.refuse_value(value, detail));
    }
}
