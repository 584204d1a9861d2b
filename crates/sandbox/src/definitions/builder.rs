//! Builds CustomResourceDefinitions.

use api::names::API_APPROVED_ANNOTATION;
use serde_json::{Map, Value, json};

/// A kind to define.
pub(super) struct Definition {
    pub group: &'static str,
    /// The storage version first. All versions have the same schema.
    pub versions: &'static [&'static str],
    pub kind: &'static str,
    pub plural: &'static str,
    pub short: &'static [&'static str],
    pub category: Option<&'static str>,
    pub scope: &'static str,
    /// Name, type and path of each printer column.
    pub columns: &'static [(&'static str, &'static str, &'static str)],
    pub subresources: Value,
    pub spec: Value,
    pub status: Value,
}

pub(super) const AGE: (&str, &str, &str) = ("Age", "date", ".metadata.creationTimestamp");

impl Definition {
    pub fn into_value(self) -> Value {
        let singular = self.kind.to_lowercase();
        let columns: Vec<Value> = self
            .columns
            .iter()
            .map(|(name, kind, path)| json!({"name": name, "type": kind, "jsonPath": path}))
            .collect();
        let schema = json!({
            "type": "object",
            "required": ["spec"],
            "properties": {
                "apiVersion": text(),
                "kind": text(),
                "metadata": {"type": "object"},
                "spec": self.spec,
                "status": self.status,
            },
        });
        let versions: Vec<Value> = self
            .versions
            .iter()
            .enumerate()
            .map(|(index, name)| {
                json!({
                    "name": name,
                    "served": true,
                    "storage": index == 0,
                    "subresources": self.subresources,
                    "additionalPrinterColumns": columns,
                    "schema": {"openAPIV3Schema": schema},
                })
            })
            .collect();
        let mut metadata = json!({"name": format!("{}.{}", self.plural, self.group)});
        if self.group.ends_with(".k8s.io") {
            // The API server protects the groups of Kubernetes: a definition in one must name its approval.
            let approved = "https://github.com/kubernetes-sigs/gateway-api/pull/2997";
            metadata["annotations"] = json!({API_APPROVED_ANNOTATION: approved});
        }
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": metadata,
            "spec": {
                "group": self.group,
                "names": {
                    "kind": self.kind,
                    "listKind": format!("{}List", self.kind),
                    "plural": self.plural,
                    "singular": singular,
                    "shortNames": self.short,
                    "categories": self.category.into_iter().collect::<Vec<_>>(),
                },
                "scope": self.scope,
                "versions": versions,
            },
        })
    }
}

/// An object whose named fields are validated and whose other fields are preserved.
pub(super) fn open<const N: usize>(fields: [(&str, Value); N], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    if !properties.is_empty() {
        schema["properties"] = properties.into();
    }
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// An object with any fields.
pub(super) fn anything() -> Value {
    open([], &[])
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn boolean() -> Value {
    json!({"type": "boolean"})
}

pub(super) fn number(least: i64) -> Value {
    json!({"type": "integer", "format": "int32", "minimum": least})
}

pub(super) fn choice(of: &[&str]) -> Value {
    json!({"type": "string", "enum": of})
}

pub(super) fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

/// Conditions, one of each type.
pub(super) fn conditions() -> Value {
    json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status"],
            "properties": {
                "type": text(),
                "status": choice(&["True", "False", "Unknown"]),
                "reason": text(),
                "message": text(),
                "lastTransitionTime": {"type": "string", "format": "date-time"},
                "observedGeneration": {"type": "integer", "format": "int64"},
            },
        },
    })
}
