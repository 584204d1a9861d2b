//! Errors of strategic merge patches, in the wording of Kubernetes.

use crate::{go, patch::PatchError};
use serde_json::{Map, Value};

/// An invalid directive: an error of the client.
pub(super) fn format_error(text: &str) -> PatchError {
    PatchError::Malformed(text.to_owned())
}

pub(super) fn unknown_directive(directive: &Value, patch: &Map<String, Value>) -> PatchError {
    let patch = go::plain(&Value::Object(patch.clone()));
    PatchError::Unexpected(format!("unknown patch type: {} in map: {patch}", go::plain(directive)))
}

pub(super) fn no_merge_key(item: &Map<String, Value>, key: &str) -> PatchError {
    let item = go::plain(&Value::Object(item.clone()));
    PatchError::Unexpected(format!("map: {item} does not contain declared merge key: {key}"))
}

pub(super) fn bad_type(expected: &str, actual: &Value) -> PatchError {
    let actual = if actual.is_null() { "%!s(<nil>)" } else { go::type_name(actual) };
    PatchError::Unexpected(format!("expected a {expected}, but received a {actual}"))
}
