//! Secrets and ConfigMaps as the API server would store them.

use crate::{manifests::Object, output::Error};
use k8s_openapi::ByteString;
use plan::placeholder::{base64, fold};
use serde_json::{Map, Value};

/// Folds `stringData` into `data` and refuses what the API server would refuse, without quoting a value.
pub fn as_stored(mut object: Object) -> Result<Object, Error> {
    let is_core = object.key.group.is_empty();
    match object.key.kind.as_str() {
        "Secret" if is_core => {
            for (key, value) in strings(&object, "data")? {
                let Ok(bytes) = serde_json::from_value::<ByteString>(value) else {
                    let problem = format!("data.{key} is not base64");
                    let remedy = format!("encode the value, or move it to stringData.{key} as it is");
                    return Err(Error::input(object.place(), problem, remedy));
                };
                object.json["data"][key] = base64(bytes);
            }
            strings(&object, "stringData")?;
        }
        "ConfigMap" if is_core => {
            strings(&object, "data")?;
            strings(&object, "binaryData")?;
        }
        _ => {}
    }
    fold(&mut object.json);
    Ok(object)
}

/// The entries of a field that must be a map of strings.
fn strings(object: &Object, field: &str) -> Result<Map<String, Value>, Error> {
    let entries = match object.json.get(field) {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(entries)) => entries,
        Some(_) => {
            return Err(Error::input(
                object.place(),
                format!("{field} is not a map"),
                "write one `key: value` per line below it",
            ));
        }
    };
    match entries.iter().find(|(_, value)| !value.is_string()) {
        Some((key, _)) => {
            let problem = format!("{field}.{key} is not a string");
            Err(Error::input(object.place(), problem, "put the value in quotes"))
        }
        None => Ok(entries.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::{Document, Origin};
    use serde_json::json;

    fn stored(content: Value) -> Result<Value, String> {
        let object = Object::all(Document { origin: Origin::of("in.yaml"), content }).unwrap().remove(0);
        as_stored(object).map(|object| object.json).map_err(|error| error.to_string())
    }

    fn secret(fields: Value) -> Value {
        let mut secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}});
        for (key, value) in fields.as_object().unwrap() {
            secret[key] = value.clone();
        }
        secret
    }

    #[test]
    fn string_data_is_folded_into_data_and_wins() {
        let given = secret(json!({"data": {"a": "MQ==", "b": "Mg=="}, "stringData": {"a": "x"}}));
        assert_eq!(stored(given), Ok(secret(json!({"data": {"a": "eA==", "b": "Mg=="}}))));
    }

    #[test]
    fn a_value_that_is_not_base64_is_refused_without_being_quoted() {
        let expected = "in.yaml: Secret s: data.password is not base64; \
                        encode the value, or move it to stringData.password as it is";
        assert_eq!(stored(secret(json!({"data": {"password": "hunter2!"}}))), Err(expected.into()));
    }

    #[test]
    fn a_number_is_refused_as_the_api_server_would() {
        let expected = "in.yaml: Secret s: stringData.port is not a string; put the value in quotes";
        assert_eq!(stored(secret(json!({"stringData": {"port": 5432}}))), Err(expected.into()));
    }
}
