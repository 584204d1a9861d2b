//! Schemas of pod fields that are passed on to Kubernetes, which checks them.
//!
//! In full they would be repeated in every component of every installation, and make definitions too large for
//! `kubectl apply`. Lists that can name Secrets and ConfigMaps, each of which the operator reads, are bounded here all the
//! same.

use k8s_openapi::api::core::v1::EnvVarSource;
use schemars::{JsonSchema as _, Schema, SchemaGenerator, json_schema};

/// Any object, as Kubernetes defines it.
pub(crate) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// Any objects, as Kubernetes defines them.
pub(crate) fn objects(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": object(generator) })
}

/// Containers, as Kubernetes defines them. Of what is inside only the lists are described that it can be long in.
pub(crate) fn containers(generator: &mut SchemaGenerator) -> Schema {
    let words = json_schema!({ "type": "array", "items": { "type": "string" } });
    let objects = objects(generator);
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {
                "args": words,
                "command": words,
                "env": objects,
                "envFrom": objects,
                "ports": objects,
                "volumeDevices": objects,
                "volumeMounts": objects,
            },
        },
    })
}

/// Environment variables, each name once.
pub(crate) fn variables(generator: &mut SchemaGenerator) -> Schema {
    let mut from = EnvVarSource::json_schema(generator);
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
