//! The built-in kinds and a custom one.

use crate::kinds::{self, Kinds, Resource};
use serde_json::{Value, json};
use std::sync::Arc;

/// The custom kind's schema.
pub(super) fn harbor_schema() -> Value {
    json!({
        "type": "object",
        "description": "A Harbor and its parts.",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {
                "type": "object",
                "description": "What is wanted.",
                "required": ["version"],
                "properties": {
                    "version": {"type": "string", "description": "The version of Harbor.", "minLength": 1},
                    "replicas": {"type": "integer", "format": "int32", "minimum": 0, "default": 1},
                    "port": {
                        "x-kubernetes-int-or-string": true,
                        "anyOf": [{"type": "integer"}, {"type": "string"}],
                    },
                    "settings": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "proxy": {"type": "object", "nullable": true, "properties": {"host": {"type": "string"}}},
                    "hosts": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                    },
                },
            },
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    })
}

/// The custom kind.
pub(super) fn harbor() -> Resource {
    harbor_with(harbor_schema())
}

/// The custom kind with another schema.
pub(super) fn harbor_with(schema: Value) -> Resource {
    let definition = json!({"spec": {
        "group": "goharbor.example",
        "scope": "Namespaced",
        "names": {
            "kind": "Harbor", "listKind": "HarborList", "plural": "harbors", "singular": "harbor",
            "shortNames": ["h"], "categories": ["harbor"],
        },
        "versions": [{
            "name": "v1alpha1",
            "served": true,
            "storage": true,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}},
        }],
    }});
    kinds::resources(&definition).remove(0)
}

/// All kinds.
pub(super) fn resources() -> Vec<Arc<Resource>> {
    Kinds::builtin().iter().cloned().chain([Arc::new(harbor())]).collect()
}
