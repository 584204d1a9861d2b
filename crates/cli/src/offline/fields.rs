//! Fields that do not fit the schema of their kind: typos are the most common mistake.

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use plan::ObjectKey;
use serde_json::Value;

/// Errors in the fields of an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Fields the API server would drop.
    pub unknown: Vec<String>,
    /// Fields of the wrong type, with a description.
    pub mistyped: Vec<(String, String)>,
    /// Required fields that are missing.
    pub missing: Vec<String>,
}

/// Fields that the API server would drop.
pub fn unknown_fields(key: &ObjectKey, version: &str, object: &Value) -> Vec<String> {
    check(key, version, object).unknown
}

/// Compares an object with the schema of its kind in `version`; no schema, no findings.
pub fn check(key: &ObjectKey, version: &str, object: &Value) -> Findings {
    let mut findings = Findings::default();
    let definition = api::crds::of(&key.kind).filter(|definition| definition.spec.group == key.group);
    let schema = definition
        .iter()
        .flat_map(|definition| &definition.spec.versions)
        .find(|candidate| candidate.name == version)
        .and_then(|version| version.schema.as_ref()?.open_api_v3_schema.as_ref());
    let (Some(schema), Some(fields)) = (schema, object.as_object()) else { return findings };
    for (name, value) in fields {
        match name.as_str() {
            "apiVersion" | "kind" => {}
            "metadata" => findings.metadata(value),
            _ => match schema.properties.as_ref().and_then(|properties| properties.get(name)) {
                Some(schema) => findings.walk(name, schema, value),
                None => findings.unknown.push(name.clone()),
            },
        }
    }
    findings
}

impl Findings {
    /// Definitions do not describe metadata, because it is the same for every kind.
    fn metadata(&mut self, given: &Value) {
        let kept = serde_json::from_value::<ObjectMeta>(given.clone()).and_then(serde_json::to_value);
        let (Some(given), Ok(kept)) = (given.as_object(), kept) else { return };
        let dropped = given.iter().filter(|(name, value)| !value.is_null() && kept.get(*name).is_none());
        self.unknown.extend(dropped.map(|(name, _)| format!("metadata.{name}")));
    }

    fn walk(&mut self, path: &str, schema: &JSONSchemaProps, value: &Value) {
        if let Some(expected) = mismatch(schema, value) {
            self.mistyped.push((path.to_owned(), format!("is {}, not {}", name_of(value), an(expected))));
            return;
        }
        match value {
            Value::Object(fields) => {
                let required = schema.required.iter().flatten().filter(|name| !fields.contains_key(*name));
                self.missing.extend(required.map(|name| format!("{path}.{name}")));
                for (name, value) in fields {
                    let known = schema.properties.as_ref().and_then(|properties| properties.get(name));
                    match (known, &schema.additional_properties) {
                        (Some(schema), _) => self.walk(&format!("{path}.{name}"), schema, value),
                        (None, Some(JSONSchemaPropsOrBool::Schema(schema))) => {
                            self.walk(&format!("{path}.{name}"), schema, value);
                        }
                        (None, Some(JSONSchemaPropsOrBool::Bool(true))) => {}
                        _ if schema.x_kubernetes_preserve_unknown_fields == Some(true) => {}
                        _ => self.unknown.push(format!("{path}.{name}")),
                    }
                }
            }
            Value::Array(items) => {
                if let Some(JSONSchemaPropsOrArray::Schema(schema)) = &schema.items {
                    for (index, item) in items.iter().enumerate() {
                        self.walk(&format!("{path}[{index}]"), schema, item);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The type a value should have, if it has another. Null stands for an absent field.
fn mismatch<'a>(schema: &'a JSONSchemaProps, value: &Value) -> Option<&'a str> {
    let expected = schema.type_.as_deref()?;
    let fits = match expected {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => true,
    };
    (!fits && !value.is_null() && schema.x_kubernetes_int_or_string != Some(true)).then_some(expected)
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

fn an(expected: &str) -> &str {
    match expected {
        "object" => "a map",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        other => other,
    }
}
