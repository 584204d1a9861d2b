//! JSON merge patch.

use super::{PatchError, cannot_unmarshal, drop_nulls, object_type, parsed};
use serde_json::{Map, Value};

/// The object with the fields of a patch, and without those that are null in it.
pub(crate) fn merge(object: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    match parsed(patch)? {
        Value::Object(patch) => {
            let mut merged = object.as_object().cloned().unwrap_or_default();
            lay_over(&mut merged, patch);
            Ok(Value::Object(merged))
        }
        Value::Null => Err(PatchError::Malformed("Invalid JSON Patch".to_owned())),
        other => Err(PatchError::Malformed(format!(
            "error decoding patch: {}",
            cannot_unmarshal(&other, &object_type())
        ))),
    }
}

fn lay_over(fields: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (name, patch) in patch {
        match (fields.get_mut(&name), patch) {
            (_, Value::Null) => {
                fields.remove(&name);
            }
            (Some(Value::Object(fields)), Value::Object(patch)) => lay_over(fields, patch),
            (Some(Value::Object(_)), patch) => {
                fields.insert(name, patch);
            }
            (_, mut patch) => {
                drop_nulls(&mut patch);
                fields.insert(name, patch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merged(object: &Value, patch: &Value) -> Result<Value, PatchError> {
        merge(object, patch.to_string().as_bytes())
    }

    #[test]
    fn fields_are_set_merged_and_removed() {
        let object = json!({"a": {"b": 1, "c": 2}, "l": [1, 2], "s": "x"});
        let patch =
            json!({"a": {"b": null, "d": {"e": null, "f": 1}}, "l": [3], "s": {"t": null, "u": [null]}});
        assert_eq!(
            merged(&object, &patch),
            Ok(json!({"a": {"c": 2, "d": {"f": 1}}, "l": [3], "s": {"u": [null]}}))
        );
    }

    #[test]
    fn only_an_object_is_a_patch() {
        let malformed = |text: &str| Err(PatchError::Malformed(text.to_owned()));
        assert_eq!(merge(&json!({}), b"nonsense"), malformed("invalid JSON patch"));
        assert_eq!(merged(&json!({}), &json!(null)), malformed("Invalid JSON Patch"));
        assert_eq!(
            merged(&json!({}), &json!([])),
            malformed(
                "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
            )
        );
    }
}
