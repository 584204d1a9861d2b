//! Reading schemas: facts about fields.

#![allow(clippy::unwrap_used, clippy::panic)] // only tests use it

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Fields that hold a Kubernetes type, and which. A fact names the type; its inside is compared separately.
const FOREIGN: [(&str, &str); 7] = [
    ("imagePullSecrets[]", "corev1.LocalObjectReference"),
    ("namespaceSelector", "metav1.LabelSelector"),
    ("resources", "corev1.ResourceRequirements"),
    ("tolerations[]", "corev1.Toleration"),
    ("volume", "corev1.VolumeSource"),
    ("volumeClaimTemplate", "corev1.PersistentVolumeClaim"),
    ("volumeSource", "corev1.VolumeSource"),
];

/// What the schema asks of a value, besides its type.
const CONSTRAINTS: [&str; 11] = [
    "default",
    "enum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "nullable",
    "pattern",
];

/// Patterns that repeat, by the name the table uses for them; ours and those of the Go operator, which were not anchored.
const PATTERNS: [(&str, &str); 7] = [
    ("NAME", api::v1beta1::name::ObjectName::PATTERN),
    ("OPTIONAL_NAME", api::v1beta1::name::ObjectName::OPTIONAL_PATTERN),
    ("LABEL", api::bounds::LABEL_PATTERN),
    ("DURATION", api::v1beta1::duration::GoDuration::PATTERN),
    ("NAME", r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"),
    ("DURATION", "([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?([0-9]+us)?([0-9]+µs)?([0-9]+ns)?"),
    ("SECONDS", "([0-9]+h)?([0-9]+m)?([0-9]+s)?"),
];

/// One field: type and format, required or not, constraints as JSON. Printed as the columns of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub type_: String,
    pub required: bool,
    pub constraints: Map<String, Value>,
}

impl Fact {
    pub fn columns(&self) -> String {
        let required = if self.required { "required" } else { "optional" };
        let constraints = if self.constraints.is_empty() {
            String::new()
        } else {
            format!("\t{}", Value::Object(self.constraints.clone()))
        };
        format!("{}\t{required}{constraints}", self.type_)
    }
}

/// Every field of spec and status, by kind and path: `Core .spec.redis.host`.
pub fn facts(crd: &Value) -> BTreeMap<String, Fact> {
    let kind = crd["spec"]["names"]["kind"].as_str().unwrap();
    let root = &schema(crd)["properties"];
    let mut facts = BTreeMap::new();
    for part in ["spec", "status"] {
        walk(&root[part], &format!("{kind}\t.{part}"), false, &mut facts);
    }
    facts
}

/// The v1beta1 schema of a definition.
pub fn schema(crd: &Value) -> &Value {
    let versions = crd["spec"]["versions"].as_array().unwrap();
    let version = versions.iter().find(|version| version["name"] == "v1beta1").unwrap();
    &version["schema"]["openAPIV3Schema"]
}

/// The Kubernetes type a field holds, if it holds one.
pub fn foreign(path: &str) -> Option<&'static str> {
    let field = path.rsplit('.').next()?;
    FOREIGN.iter().find(|(name, _)| *name == field).map(|(_, type_)| *type_)
}

fn walk(schema: &Value, path: &str, required: bool, facts: &mut BTreeMap<String, Fact>) {
    let mut constraints: Map<String, Value> = CONSTRAINTS
        .iter()
        .filter_map(|name| schema.get(*name).map(|value| ((*name).to_owned(), number(value))))
        .collect();
    if let Some(pattern) = constraints.get_mut("pattern")
        && let Some((name, _)) = PATTERNS.iter().find(|(_, text)| *pattern == *text)
    {
        *pattern = Value::from(*name);
    }
    let foreign = foreign(path);
    let type_ = match (foreign, &schema["type"], schema.get("format")) {
        (Some(foreign), ..) => foreign.to_owned(),
        (_, Value::String(type_), Some(Value::String(format))) => format!("{type_}/{format}"),
        (_, Value::String(type_), _) => type_.clone(),
        _ if schema["x-kubernetes-int-or-string"] == true => "int-or-string".to_owned(),
        (_, other, _) => panic!("{path} has type {other}"),
    };
    facts.insert(path.to_owned(), Fact { type_, required, constraints });
    if foreign.is_some() {
        return;
    }
    let is_required = |name: &str| {
        schema["required"].as_array().is_some_and(|required| required.iter().any(|listed| listed == name))
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(property, &format!("{path}.{name}"), is_required(name), facts);
    }
    if schema["items"].is_object() {
        walk(&schema["items"], &format!("{path}[]"), false, facts);
    }
    if schema["additionalProperties"].is_object() {
        walk(&schema["additionalProperties"], &format!("{path}{{}}"), false, facts);
    }
}

/// `1.0` and `1` are the same bound.
fn number(value: &Value) -> Value {
    match value.as_f64() {
        #[allow(clippy::cast_possible_truncation)]
        Some(float) if float.fract() == 0.0 => Value::from(float as i64),
        _ => value.clone(),
    }
}
