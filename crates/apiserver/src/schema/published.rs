//! Properties of types that Kubernetes publishes and k8s-openapi lacks: how fields merge, and which are always
//! present.

use super::definitions::REFERENCE;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

/// One definition per line; its first lines describe the format.
const TABLE: &str = include_str!("published.txt");

static FACTS: LazyLock<HashMap<String, HashMap<&str, Facts>>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut words = row.split(' ');
        let name = qualified(words.next().unwrap_or_default());
        let facts =
            words.filter_map(|word| word.split_once('=')).map(|(field, facts)| (field, Facts::parse(facts)));
        (name, facts.collect())
    })
    .collect()
});

/// The properties of one field.
#[derive(Debug, Default)]
struct Facts {
    /// The extensions and the default, as published.
    attributes: Map<String, Value>,
    /// The value of a field that is always present.
    standing: Option<Value>,
}

impl Facts {
    fn parse(text: &str) -> Self {
        let mut facts = Self::default();
        for fact in text.split('|') {
            facts.learn(fact);
        }
        facts
    }

    fn learn(&mut self, fact: &str) {
        let (word, keys) = match fact.split_once('(') {
            Some((word, keys)) => (word, keys.trim_end_matches(')')),
            None => (fact, ""),
        };
        match word {
            "map" => {
                let keys: Vec<&str> = keys.split(',').collect();
                self.publish("x-kubernetes-list-type", json!("map"));
                self.publish("x-kubernetes-list-map-keys", json!(keys));
            }
            "atomic" | "set" | "granular" => self.publish("x-kubernetes-list-type", json!(word)),
            _ => {
                if let Some(strategy) = word.strip_prefix('~') {
                    self.publish("x-kubernetes-patch-strategy", json!(strategy));
                    if !keys.is_empty() {
                        self.publish("x-kubernetes-patch-merge-key", json!(keys));
                    }
                } else {
                    self.standing = serde_json::from_str(fact).ok();
                    if let Some(default) = self.standing.clone().filter(|default| !default.is_null()) {
                        self.publish("default", default);
                    }
                }
            }
        }
    }

    fn publish(&mut self, attribute: &str, value: Value) {
        self.attributes.insert(attribute.into(), value);
    }
}

/// The value of a field that is always present.
pub(super) fn standing(definition: &str, field: &str) -> Option<&'static Value> {
    FACTS.get(definition)?.get(field)?.standing.as_ref()
}

/// Adds the published properties to the definitions.
pub(super) fn amend(definitions: &mut BTreeMap<String, Value>) {
    for (name, definition) in &mut *definitions {
        replace_special(name, definition);
    }
    for (name, field, facts) in
        FACTS.iter().flat_map(|(name, all)| all.iter().map(move |(field, facts)| (name, field, facts)))
    {
        let Some(definition) = definitions.get_mut(name) else { continue };
        let is_type = *field == "*";
        let target = if is_type {
            Some(definition)
        } else {
            definition.pointer_mut("/properties").and_then(|all| all.get_mut(*field))
        };
        let Some(Value::Object(target)) = target else { continue };
        unsibling(target);
        let maps = target.get("type") != Some(&json!("array"));
        for (attribute, value) in &facts.attributes {
            let attribute = match attribute.as_str() {
                "x-kubernetes-list-type" if maps => "x-kubernetes-map-type",
                attribute => attribute,
            };
            target.insert(attribute.into(), value.clone());
        }
    }
}

/// Wraps a reference that is about to get siblings, which OpenAPI 3.0 would ignore.
fn unsibling(target: &mut Map<String, Value>) {
    if let Some(reference) = target.remove("$ref") {
        target.insert("allOf".into(), json!([{"$ref": reference}]));
    }
}

/// Types whose JSON format differs from their definition in k8s-openapi.
fn replace_special(name: &str, definition: &mut Value) {
    let Some(definition) = definition.as_object_mut() else { return };
    match name.rsplit('.').next().unwrap_or_default() {
        "IntOrString" => {
            definition.remove("x-kubernetes-int-or-string");
            definition.insert("format".into(), json!("int-or-string"));
            definition.insert("oneOf".into(), json!([{"type": "integer"}, {"type": "string"}]));
        }
        "Quantity" => {
            definition.remove("x-kubernetes-int-or-string");
            definition.insert("oneOf".into(), json!([{"type": "string"}, {"type": "number"}]));
        }
        "JSON" | "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrStringArray" => {
            definition.retain(|key, _| key == "description");
        }
        _ => {}
    }
}

/// The full name of a definition whose row has a short one.
fn qualified(short: &str) -> String {
    let prefix = match short.split('.').next() {
        Some("meta") => "io.k8s.apimachinery.pkg.apis.",
        Some("apiextensions") => "io.k8s.apiextensions-apiserver.pkg.apis.",
        _ => "io.k8s.api.",
    };
    format!("{prefix}{short}")
}

/// The definition a node refers to, alone or with siblings.
pub(super) fn referred(node: &Value) -> Option<&str> {
    let reference = node.get("$ref").or_else(|| match node.get("allOf")?.as_array()?.as_slice() {
        [only] => only.get("$ref"),
        _ => None,
    })?;
    reference.as_str()?.strip_prefix(REFERENCE)
}
