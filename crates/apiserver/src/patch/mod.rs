//! JSON patch, JSON merge patch and strategic merge patch.

mod failure;
mod json;
mod merge;
mod strategic;

#[cfg(test)]
mod laws;

pub(crate) use self::{failure::PatchError, json::json, merge::merge, strategic::strategic};

use crate::go;
use serde_json::Value;

/// The maximum depth of an object. Requests are no deeper; only a patch could make an object deeper.
const DEEPEST: usize = 256;

/// The JSON of a patch.
fn parsed(patch: &[u8]) -> Result<Value, PatchError> {
    serde_json::from_slice(patch).map_err(|_| PatchError::Malformed("invalid JSON patch".to_owned()))
}

/// The error of Go's decoder about a value of the wrong type.
fn cannot_unmarshal(value: &Value, into: &str) -> String {
    format!("json: cannot unmarshal {} into Go {into}", go::json_word(value))
}

/// The Go type of a patch that is an object.
fn object_type() -> String {
    format!("value of type {}", go::type_name(&Value::Object(serde_json::Map::new())))
}

/// Drops fields that are null; items of lists stay.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
