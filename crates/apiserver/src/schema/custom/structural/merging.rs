//! Constraints on the merge settings of a schema.

use super::{Check, texts};
use crate::schema::{
    custom::field_errors,
    extensions::{is, text},
};
use serde_json::Value;

impl Check {
    pub(super) fn merging(&mut self, schema: &Value) {
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
                self.at(attribute, |check| {
                    check.causes.push(field_errors::not_supported(&check.path, &said, &known));
                });
            }
        }
        let list = text(schema, "x-kubernetes-list-type");
        let keys = texts(schema, "x-kubernetes-list-map-keys");
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
            Some("array") => (
                "x-kubernetes-list-type",
                text(items, "x-kubernetes-list-type").is_some_and(|list| list != "atomic"),
            ),
            Some("object") => {
                ("x-kubernetes-map-type", text(items, "x-kubernetes-map-type") != Some("atomic"))
            }
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
                check.at("nullable", |check| {
                    check.forbid(&format!("cannot be nullable when x-kubernetes-list-type is {list}"));
                });
            });
        }
    }

    fn keys(&mut self, schema: &Value, items: &Value, keys: &[&str]) {
        if keys.is_empty() {
            self.at("x-kubernetes-list-map-keys", |check| {
                check.require("must not be empty if x-kubernetes-list-type is map");
            });
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
        let required = texts(items, "required");
        for (index, key) in keys.iter().enumerate() {
            if keys.iter().take(index).any(|earlier| earlier == key) {
                self.invalid("x-kubernetes-list-map-keys", &given, "must not contain duplicate entries");
            }
            let Some(property) = items.get("properties").and_then(|all| all.get(*key)) else {
                self.invalid(
                    "x-kubernetes-list-map-keys",
                    &given,
                    "entries must all be names of item properties",
                );
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
}
