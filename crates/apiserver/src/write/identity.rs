//! Whether an object is the one its path names.

use crate::{failure::Failure, kinds::Resource};
use http::StatusCode;
use serde_json::Value;

/// Checks kind, version, name and namespace against the path, and fills in what the path knows.
pub(crate) fn settle(
    resource: &Resource,
    namespace: Option<&str>,
    name: Option<&str>,
    object: &mut Value,
) -> Result<(), Failure> {
    kind(resource, object)?;
    if object["metadata"].is_null() {
        object["metadata"] = Value::Object(serde_json::Map::new());
    }
    let metadata = object["metadata"].as_object_mut().ok_or_else(|| {
        Failure::bad_request(format!(
            "{} in version {:?} cannot be handled as a {}: json: cannot unmarshal metadata",
            resource.kind, resource.version, resource.kind
        ))
    })?;
    let sent = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (sent_name, sent_namespace) = (sent("name"), sent("namespace"));
    if let Some(name) = name {
        if sent_name.is_empty() {
            metadata.insert("name".into(), name.into());
        } else if sent_name != name {
            return Err(Failure::bad_request(format!(
                "the name of the object ({sent_name}) does not match the name on the URL ({name})"
            )));
        }
    }
    match namespace {
        Some(namespace) if !sent_namespace.is_empty() && sent_namespace != namespace => {
            Err(mismatch(if name.is_some() {
                format!(
                    "the namespace of the object ({sent_namespace}) does not match the namespace on the URL ({namespace})"
                )
            } else {
                "the namespace of the provided object does not match the namespace sent on the request".into()
            }))
        }
        Some(namespace) => {
            metadata.insert("namespace".into(), namespace.into());
            Ok(())
        }
        None => {
            metadata.remove("namespace");
            Ok(())
        }
    }
}

fn kind(resource: &Resource, object: &mut Value) -> Result<(), Failure> {
    let expected = resource.api_version();
    let sent = |object: &Value, field: &str| object[field].as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (sent(object, "apiVersion"), sent(object, "kind"));
    if api_version.is_empty() {
        object["apiVersion"] = expected.clone().into();
    }
    if kind.is_empty() {
        object["kind"] = resource.kind.clone().into();
    }
    if !kind.is_empty() && kind != resource.kind {
        let version = if api_version.is_empty() { expected } else { api_version };
        return Err(Failure::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {}: no kind {kind:?} is registered for version {version:?}",
            resource.kind
        )));
    }
    if !api_version.is_empty() && api_version != expected {
        return Err(Failure::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    Ok(())
}

fn mismatch(message: String) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, "BadRequest", message)
}
