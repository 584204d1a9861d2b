//! Masks the values of Secrets.

use crate::ObjectKey;
use serde_json::{Map, Value};

const MASKED: &str = "<masked>";
const CHANGED: &str = "<masked, changed>";
/// The fields of a Secret that hold values.
const FIELDS: [&str; 2] = ["data", "stringData"];

/// Both states of an object with the values of a Secret masked. The mask still shows which values change.
pub(super) fn masked(
    key: &ObjectKey,
    before: Option<&Value>,
    after: Option<&Value>,
) -> (Option<Value>, Option<Value>) {
    if !(key.group.is_empty() && key.kind == "Secret") {
        return (before.cloned(), after.cloned());
    }
    let mut states = (before.cloned(), after.cloned());
    for field in FIELDS {
        if let Some(values) = values_mut(&mut states.1, field) {
            let were = before.and_then(|before| before.get(field));
            for (name, value) in values {
                let was = were.and_then(|were| were.get(name));
                let changed = was.is_some_and(|was| was != value);
                *value = if changed { CHANGED } else { MASKED }.into();
            }
        }
        for value in values_mut(&mut states.0, field).into_iter().flat_map(Map::values_mut) {
            *value = MASKED.into();
        }
    }
    states
}

fn values_mut<'a>(object: &'a mut Option<Value>, field: &str) -> Option<&'a mut Map<String, Value>> {
    object.as_mut()?.get_mut(field)?.as_object_mut()
}
