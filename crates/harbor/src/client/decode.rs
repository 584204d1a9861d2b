//! Bodies of answers as values.

use crate::error::Message;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a body.
///
/// `null` is read as an absent field: Harbor writes it for empty lists and objects. The problem tells where the body is
/// wrong, not what stands there, since that may be a secret.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Message> {
    let value = serde_json::from_slice::<Value>(body).map_err(|_| Message::new("the body is not JSON"))?;
    decode_value(value)
}

/// Reads a part of a body.
pub(crate) fn decode_value<T: DeserializeOwned>(mut value: Value) -> Result<T, Message> {
    drop_nulls(&mut value);
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        Message::new(&format!("the body has an unexpected value at {path}"))
    })
}

/// serde_json reads at most 128 levels, so the recursion is bounded.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(drop_nulls);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
