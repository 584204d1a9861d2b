//! The annotation of client-side `kubectl apply`, which server-side `kubectl apply` reads and updates.

use super::{compare::Comparison, owned::owned, set::FieldSet, typed::Typed};
use serde_json::{Value, json};

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The maximum size of all annotations of an object.
const MOST_BYTES: usize = 256 * 1024;

/// The manager whose applies use the annotation.
pub(crate) const KUBECTL: &str = "kubectl";

/// The fields that the client-side configuration set and that are unchanged since. `kubectl` may take them
/// over.
pub(crate) fn inherited(typed: Typed<'_>, live: &Value, api_version: &str) -> FieldSet {
    let Some(configuration) = annotation(live).and_then(|text| serde_json::from_str::<Value>(text).ok())
    else {
        return FieldSet::default();
    };
    if configuration.get("apiVersion").and_then(Value::as_str) != Some(api_version) {
        return FieldSet::default();
    }
    let changes = Comparison::of(typed, &configuration, live);
    owned(typed, &configuration).difference(&changes.written()).difference(&changes.removed)
}

/// Writes the applied configuration to the annotation, if the object has it.
pub(crate) fn refresh(object: &mut Value, applied: &Value) {
    if annotation(object).is_none_or(str::is_empty) {
        return;
    }
    let mut applied = applied.clone();
    if let Some(annotations) = applied.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(ANNOTATION);
    }
    let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) else {
        return;
    };
    annotations.insert(ANNOTATION.to_owned(), json!(format!("{applied}\n")));
    let weight: usize =
        annotations.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum();
    if weight > MOST_BYTES {
        annotations.remove(ANNOTATION);
    }
}

fn annotation(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()
}
