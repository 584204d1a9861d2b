//! ConfigMaps and Secrets.

use super::{metadata::named, names};
use crate::{
    failure::Cause,
    kinds::value::{decoded, entries, has, text},
};
use serde_json::{Map, Value, json};

/// The maximum size of all values of an object, in bytes.
const MOST_BYTES: usize = 1024 * 1024;

pub(super) fn config_map(object: &Value, causes: &mut Vec<Cause>) {
    let mut bytes = 0;
    for (key, value) in entries(object, "data") {
        let path = format!("data[{key}]");
        named(&path, key, names::config_key, causes);
        if object["binaryData"].get(key).is_some() {
            causes.push(Cause::invalid(path, &json!(key), "duplicate of key present in binaryData"));
        }
        bytes += value.as_str().unwrap_or_default().len();
    }
    for (key, value) in entries(object, "binaryData") {
        named(&format!("binaryData[{key}]"), key, names::config_key, causes);
        bytes += decoded_length(value);
    }
    if bytes > MOST_BYTES {
        // Kubernetes names no field here, and prints what Go's empty path prints.
        causes.push(Cause::too_long("", MOST_BYTES));
    }
}

pub(super) fn secret(object: &Value, causes: &mut Vec<Cause>) {
    let mut bytes = 0;
    for (key, value) in entries(object, "data") {
        named(&format!("data[{key}]"), key, names::config_key, causes);
        bytes += decoded_length(value);
    }
    if bytes > MOST_BYTES {
        causes.push(Cause::too_long("data", MOST_BYTES));
    }
    let data = &object["data"];
    let mut require = |key: &str| causes.push(Cause::required(format!("data[{key}]"), ""));
    let missing = |key: &str| !has(data, key);
    match text(object, "type") {
        "kubernetes.io/service-account-token" => {
            const ACCOUNT: &str = "kubernetes.io/service-account.name";
            if text(&object["metadata"]["annotations"], ACCOUNT).is_empty() {
                causes.push(Cause::required(format!("metadata.annotations[{ACCOUNT}]"), ""));
            }
        }
        "kubernetes.io/dockercfg" => document(data, ".dockercfg", causes),
        "kubernetes.io/dockerconfigjson" => document(data, ".dockerconfigjson", causes),
        "kubernetes.io/basic-auth" if missing("username") && missing("password") => {
            require("username");
            require("password");
        }
        "kubernetes.io/ssh-auth" if text(data, "ssh-privatekey").is_empty() => require("ssh-privatekey"),
        "kubernetes.io/tls" => {
            ["tls.crt", "tls.key"].into_iter().filter(|key| missing(key)).for_each(require);
        }
        _ => {}
    }
}

/// A value that is required and must be a JSON object.
fn document(data: &Value, key: &str, causes: &mut Vec<Cause>) {
    let field = format!("data[{key}]");
    let Some(text) = data.get(key) else {
        causes.push(Cause::required(field, ""));
        return;
    };
    let bytes = decoded(text.as_str().unwrap_or_default());
    if let Err(error) = serde_json::from_slice::<Map<String, Value>>(&bytes) {
        causes.push(Cause::invalid(field, &json!("<secret contents redacted>"), error.to_string()));
    }
}

/// How many bytes a base64 text encodes.
fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    text.trim_end_matches('=').len() * 3 / 4
}
