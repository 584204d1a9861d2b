//! Schemas of pod fields that are passed on to Kubernetes, which checks them.
//!
//! In full they would be repeated in every component of every installation, and make definitions too large for
//! `kubectl apply`.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Any object, as Kubernetes defines it.
pub(crate) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// Any objects, as Kubernetes defines them.
pub(crate) fn objects(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": object(generator) })
}

/// Environment variables, each name once.
pub(crate) fn variables(generator: &mut SchemaGenerator) -> Schema {
    let mut from = object(generator);
    from.insert(
        "description".into(),
        "Where its value comes from, such as a key of a Secret; as in a pod.".into(),
    );
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": { "type": "string", "minLength": 1, "description": "Its name." },
                "value": { "type": "string", "description": "Its value." },
                "valueFrom": from,
            },
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    })
}
