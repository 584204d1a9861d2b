//! OpenAPI 3: one document per group and version.

use super::{
    operations::{Body, Operation, operations},
    schemas::{Form, REFERENCE, closure, definition},
};
use crate::discovery::served::Version;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const ANSWERED_IN: [&str; 2] = ["application/json", "application/yaml"];

/// `/openapi/v3`: where each version's document is, with a hash that changes with it.
pub(in crate::discovery) fn index(hashes: &BTreeMap<String, String>) -> Value {
    let paths: Map<String, Value> = hashes
        .iter()
        .map(|(place, hash)| {
            (place.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{place}?hash={hash}")}))
        })
        .collect();
    json!({"paths": paths})
}

/// `/openapi/v3/apis/GROUP/VERSION`
pub(in crate::discovery) fn document(version: &Version, definitions: &BTreeMap<String, Value>) -> Value {
    let operations = operations(version);
    let mut paths = Map::new();
    for operation in &operations {
        let item = paths
            .entry(operation.path.clone())
            .or_insert_with(|| json!({"parameters": path_parameters(&operation.path)}));
        item[operation.method] = rendered(operation);
    }
    let schemas = closure(version.kinds.iter(), &operations, definitions, Form::Third);
    let info = if version.kinds.iter().any(|kind| kind.resource.custom.is_some()) {
        json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"})
    } else {
        json!({"title": "Kubernetes", "version": "unversioned"})
    };
    json!({
        "openapi": "3.0.0",
        "info": info,
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

fn path_parameters(path: &str) -> Vec<Value> {
    ["name", "namespace"]
        .into_iter()
        .filter(|name| path.contains(&format!("{{{name}}}")))
        .map(|name| (name, "path", true))
        .chain([("pretty", "query", false)])
        .map(|(name, place, required)| {
            let mut parameter =
                json!({"name": name, "in": place, "schema": {"type": "string", "uniqueItems": true}});
            if required {
                parameter["required"] = true.into();
            }
            parameter
        })
        .collect()
}

fn rendered(operation: &Operation) -> Value {
    let reference = |name: &str| json!({"schema": {"$ref": format!("{REFERENCE}{name}")}});
    let query: Vec<Value> = operation
        .query
        .iter()
        .map(|(name, kind)| {
            json!({"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": true}})
        })
        .collect();
    let answer: Map<String, Value> =
        ANSWERED_IN.iter().map(|media| ((*media).to_owned(), reference(&operation.answer))).collect();
    let mut rendered = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "description": operation.description,
        "parameters": query,
        "responses": {
            "200": {"description": "OK", "content": answer},
            "401": {"description": "Unauthorized"},
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": operation.group_version_kind,
    });
    let content: Option<Map<String, Value>> = match &operation.body {
        Body::None => None,
        Body::Definition(name) => Some(Map::from_iter([("*/*".to_owned(), reference(name))])),
        Body::Patch(medias) => {
            let patch = reference(&definition("meta", "v1", "Patch"));
            Some(medias.iter().map(|media| ((*media).to_owned(), patch.clone())).collect())
        }
    };
    if let Some(content) = content {
        rendered["requestBody"] = json!({"content": content, "required": operation.method != "delete"});
    }
    rendered
}
