//! The definitions that a document needs, by name.

use super::operations::{Body, Operation};
use crate::{discovery::served::Kind, kinds::Resource};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How the definitions refer to each other.
pub(super) const REFERENCE: &str = "#/components/schemas/";

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
/// Any definition that documents `apiVersion` and `kind`.
const TYPED: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

const METADATA: &str = "Standard object's metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const LIST_METADATA: &str = "Standard list metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

const EMBEDDED: [(&str, &str); 2] = [
    (
        "apiVersion",
        "apiVersion defines the versioned schema of this representation of an object. More info: \
         https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
    ),
    (
        "kind",
        "kind is a string value representing the type of this object. In CamelCase. More info: \
         https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
    ),
];

/// The name of a built-in kind's definition; the group `meta` stands for what all groups share.
pub(super) fn definition(group: &str, version: &str, kind: &str) -> String {
    match group {
        "meta" => format!("io.k8s.apimachinery.pkg.apis.meta.{version}.{kind}"),
        "" => format!("io.k8s.api.core.{version}.{kind}"),
        group => format!("io.k8s.api.{}.{version}.{kind}", group.split('.').next().unwrap_or(group)),
    }
}

/// The name of a kind's definition.
pub(super) fn name(resource: &Resource) -> String {
    resource.definition.clone()
}

/// The name of the definition of a kind's list.
pub(super) fn list_name(resource: &Resource) -> String {
    let package = resource.definition.strip_suffix(&resource.kind).unwrap_or(&resource.definition);
    format!("{package}{}", resource.list_kind)
}

/// Which form of OpenAPI a schema is for.
#[derive(Clone, Copy)]
pub(super) enum Form<'f> {
    Third,
    /// What turns a schema of a custom kind into one of version 2.
    Second(&'f dyn Fn(&Value) -> Value),
}

/// All definitions that these operations refer to, directly or indirectly. Those of custom kinds come from
/// their own schemas. A missing definition becomes an object with any fields, because clients refuse
/// documents with dangling references.
pub(super) fn closure<'k>(
    kinds: impl Iterator<Item = &'k Kind>,
    operations: &[Operation],
    definitions: &BTreeMap<String, Value>,
    form: Form<'_>,
) -> BTreeMap<String, Value> {
    let mut own = BTreeMap::new();
    for kind in kinds {
        let resource = &kind.resource;
        if let Some(schema) = &resource.custom {
            own.insert(name(resource), custom(resource, schema, definitions, form));
            own.insert(list_name(resource), custom_list(resource, definitions));
        }
    }
    let mut wanted: Vec<String> = own.keys().cloned().collect();
    for operation in operations {
        wanted.push(operation.answer.clone());
        match &operation.body {
            Body::Definition(name) => wanted.push(name.clone()),
            Body::Patch(_) => wanted.push(definition("meta", "v1", "Patch")),
            Body::None => {}
        }
    }
    let mut found = BTreeMap::new();
    while let Some(name) = wanted.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let builtin = || definitions.get(&name).map(published);
        let schema = own.remove(&name).or_else(builtin).unwrap_or_else(|| json!({"type": "object"}));
        references(&schema, &mut wanted);
        found.insert(name, schema);
    }
    found
}

/// A built-in definition as Kubernetes publishes it. k8s-openapi marks `metadata` as required, because it is
/// not an `Option` there.
fn published(definition: &Value) -> Value {
    let mut schema = definition.clone();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != "metadata");
        if required.is_empty()
            && let Value::Object(fields) = &mut schema
        {
            fields.remove("required");
        }
    }
    schema
}

fn references(schema: &Value, into: &mut Vec<String>) {
    let mut waiting = vec![schema];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => {
                if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
                    into.extend(name.strip_prefix(REFERENCE).map(str::to_owned));
                }
                waiting.extend(fields.values());
            }
            _ => {}
        }
    }
}

/// A reference with a description of its own.
fn reference(name: &str, description: &str) -> Value {
    json!({"allOf": [{"$ref": format!("{REFERENCE}{name}")}], "description": description})
}

fn custom(
    resource: &Resource,
    schema: &Value,
    definitions: &BTreeMap<String, Value>,
    form: Form<'_>,
) -> Value {
    let keeps_everything =
        schema.get("x-kubernetes-preserve-unknown-fields").is_some_and(|keeps| *keeps == Value::Bool(true));
    let mut own = match form {
        // kubectl refuses unknown fields of anything that lists its properties.
        Form::Second(_) if keeps_everything => json!({"type": "object"}),
        Form::Second(convert) => convert(schema),
        Form::Third => schema.clone(),
    };
    if let (Value::Object(fields), false) = (&mut own, keeps_everything && matches!(form, Form::Second(_))) {
        add_embedded(fields, form);
        add(fields, ["apiVersion", "kind"].map(|name| (name, type_property(name, definitions))));
    }
    own["x-kubernetes-group-version-kind"] =
        json!([{"group": resource.group, "version": resource.version, "kind": resource.kind}]);
    own
}

/// Gives a schema properties that every object has, `metadata` included.
fn add(schema: &mut Map<String, Value>, typed: [(&str, Value); 2]) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.extend(typed.map(|(name, property)| (name.to_owned(), property)));
        properties.insert("metadata".into(), reference(OBJECT_META, METADATA));
    }
}

/// Gives objects within objects their type and metadata. As deep as the schema, which was parsed with a limit
/// on depth.
fn add_embedded(schema: &mut Map<String, Value>, form: Form<'_>) {
    for (keyword, value) in schema.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for property in properties.values_mut().filter_map(Value::as_object_mut) {
                    add_embedded(property, form);
                }
            }
            ("items" | "additionalProperties", Value::Object(inner)) => add_embedded(inner, form),
            _ => {}
        }
    }
    let is = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let shapeless = is("x-kubernetes-preserve-unknown-fields") && matches!(form, Form::Second(_));
    if !is("x-kubernetes-embedded-resource") || shapeless {
        return;
    }
    add(schema, EMBEDDED.map(|(name, text)| (name, json!({"type": "string", "description": text}))));
    if let Value::Array(required) = schema.entry("required").or_insert_with(|| json!([])) {
        for name in ["kind", "apiVersion"] {
            if !required.iter().any(|known| known == name) {
                required.push(name.into());
            }
        }
    }
}

fn type_property(name: &str, definitions: &BTreeMap<String, Value>) -> Value {
    definitions
        .get(TYPED)
        .and_then(|definition| definition.get("properties")?.get(name))
        .cloned()
        .unwrap_or_else(|| json!({"type": "string"}))
}

fn custom_list(resource: &Resource, definitions: &BTreeMap<String, Value>) -> Value {
    let items = format!(
        "List of {}. More info: \
         https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
        resource.plural
    );
    json!({
        "type": "object",
        "description": format!("{} is a list of {}", resource.list_kind, resource.kind),
        "required": ["items"],
        "properties": {
            "apiVersion": type_property("apiVersion", definitions),
            "kind": type_property("kind", definitions),
            "metadata": reference(LIST_META, LIST_METADATA),
            "items": {
                "type": "array",
                "description": items,
                "items": {"$ref": format!("{REFERENCE}{}", name(resource))},
            },
        },
        "x-kubernetes-group-version-kind": [
            {"group": resource.group, "version": resource.version, "kind": resource.list_kind},
        ],
    })
}
