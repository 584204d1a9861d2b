//! Whether an object matches its path.

use crate::{
    failure::{Cause, Failure},
    go,
    kinds::{Origin, Resource},
    state::State,
};
use serde_json::Value;

/// How many bytes of a refused body are shown.
const SUMMARY: usize = 30;

/// Checks kind, version, name and namespace against the path, and sets those that are missing.
pub(crate) fn settle(
    state: &State,
    resource: &Resource,
    namespace: Option<&str>,
    name: Option<&str>,
    object: &mut Value,
) -> Result<(), Failure> {
    kind(state, resource, object)?;
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
            return Err(Failure::bad_request(format!(
                "the name of the object ({name} based on URL) was undeterminable: name must be provided"
            )));
        }
        if sent_name != name {
            return Err(Failure::bad_request(format!(
                "the name of the object ({sent_name}) does not match the name on the URL ({name})"
            )));
        }
    }
    match namespace {
        Some(namespace) if !sent_namespace.is_empty() && sent_namespace != namespace => {
            Err(Failure::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ))
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

fn kind(state: &State, resource: &Resource, object: &mut Value) -> Result<(), Failure> {
    let expected = resource.api_version();
    let sent = |object: &Value, field: &str| object[field].as_str().unwrap_or_default().to_owned();
    let (mut api_version, mut kind) = (sent(object, "apiVersion"), sent(object, "kind"));
    if resource.origin == Origin::Custom && kind.is_empty() {
        let text = object.to_string();
        let start: String = text.chars().take(SUMMARY).collect();
        let summary = if start == text { start } else { format!("{start} ...") };
        return Err(Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): Object 'Kind' is missing in '{text}' ({summary})",
            resource.kind
        )));
    }
    if api_version.is_empty() {
        api_version.clone_from(&expected);
        object["apiVersion"] = expected.clone().into();
    }
    if kind.is_empty() {
        kind.clone_from(&resource.kind);
        object["kind"] = kind.clone().into();
    }
    if kind == resource.kind && api_version == expected {
        return Ok(());
    }
    let mismatch = || {
        Failure::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        ))
    };
    if resource.origin == Origin::Custom {
        if api_version != expected {
            return Err(mismatch());
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let cause = Cause::invalid("kind", &object["kind"], format!("must be {}", resource.kind));
        return Err(Failure::invalid(&resource.group, &kind, name, &[cause]));
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let why = match state.kinds.by_kind(group, version, &kind) {
        Some(other) if other.kind != resource.kind => format!(
            "converting ({version}.{kind}) to ({}.{}): unknown conversion",
            go::package(&resource.group),
            resource.kind
        ),
        Some(_) => return Err(mismatch()),
        None => format!(
            "no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        ),
    };
    Err(Failure::bad_request(format!(
        "{kind} in version {:?} cannot be handled as a {}: {why}",
        version_of(&api_version),
        resource.kind
    )))
}

fn version_of(api_version: &str) -> &str {
    api_version.rsplit('/').next().unwrap_or_default()
}
