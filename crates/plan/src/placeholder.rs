//! Placeholders for values that the operator has not generated or issued yet. They have a valid form for programs that
//! parse them, and users can recognise them as placeholders.

use crate::{GenerateError, ObjectKey, Recipe, SecretGenerator};
use api::thirdparty::cert_manager::Certificate;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::core::DynamicObject;
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// The keys of a Secret with a certificate.
pub const TLS_KEYS: [&str; 3] = ["ca.crt", "tls.crt", "tls.key"];

/// A certificate for "a placeholder", valid for a hundred years.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBMzCB5qADAgECAgEBMAUGAytlcDAYMRYwFAYDVQQDDA1hIHBsYWNlaG9sZGVy
MCAXDTI2MTExNjA4MzU1M1oYDzIxMjYxMDIzMDgzNTUzWjAYMRYwFAYDVQQDDA1h
IHBsYWNlaG9sZGVyMCowBQYDK2VwAyEAZUYoFZlBU9M8AeXlgWS1EXOR3y7QKpW3
VwwBY54Z7RqjUzBRMB0GA1UdDgQWBBRVgvhgaPfFK2hohCm2hAIn0YoJWzAfBgNV
HSMEGDAWgBRVgvhgaPfFK2hohCm2hAIn0YoJWzAPBgNVHRMBAf8EBTADAQH/MAUG
AytlcANBAIdPlfC1Mu34bDqehxlJAS0v5pFlaI5AwzFKBpnEocffVByWjr1xLMX2
ehqkpVpP414TLcMzTIgwspT86MJvhgM=
-----END CERTIFICATE-----
";

/// A Secret with placeholders for the values that are to be generated.
pub fn generated(mut secret: Value, generate: &BTreeMap<String, Recipe>) -> Result<Value, GenerateError> {
    fold(&mut secret);
    let entries = secret.get("data").and_then(Value::as_object).into_iter().flatten();
    let decoded = |(key, value): (&String, &Value)| {
        Some((key.clone(), serde_json::from_value::<ByteString>(value.clone()).ok()?.0))
    };
    let present = entries.filter_map(decoded).collect();
    for (key, value) in crate::generated(generate, &present, &Placeholders)? {
        secret["data"][key] = base64(ByteString(value));
    }
    Ok(secret)
}

/// A Secret with a placeholder for the certificate that is to be issued.
pub fn issued(mut secret: Value) -> Value {
    for key in TLS_KEYS {
        secret["data"][key] = base64(ByteString(tls(key).into_bytes()));
    }
    secret
}

/// A certificate whose private key does not exist, or a text in the form of a private key.
fn tls(key: &str) -> String {
    if key != "tls.key" {
        return CERTIFICATE.into();
    }
    let words = base64(ByteString(b"a placeholder".to_vec()));
    let words = words.as_str().unwrap_or_default();
    format!("-----BEGIN RSA PRIVATE KEY-----\n{words}\n-----END RSA PRIVATE KEY-----\n")
}

/// The Secret that cert-manager creates for a Certificate.
pub fn of_certificate(key: &ObjectKey, object: &Value) -> Option<(ObjectKey, Value)> {
    if ObjectKey::of::<Certificate>(&key.namespace, &key.name) != *key {
        return None;
    }
    let name = object.pointer("/spec/secretName")?.as_str()?;
    let secret = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": key.namespace},
        "type": "kubernetes.io/tls",
    });
    Some((ObjectKey::of::<Secret>(&key.namespace, name), issued(secret)))
}

/// An object of the operator's own kinds as it is once it serves requests.
pub fn ready(object: Arc<DynamicObject>) -> Arc<DynamicObject> {
    let mut object = DynamicObject::clone(&object);
    object.data["status"] = json!({"conditions": [{"type": "Available", "status": "True"}]});
    Arc::new(object)
}

/// An object that another program creates. A Secret gets a placeholder for each of its keys.
pub fn awaited(mut object: Value) -> Value {
    fold(&mut object);
    if let Some(data) = object.get_mut("data").and_then(Value::as_object_mut) {
        data.values_mut().for_each(|value| *value = base64(ByteString(b"x".repeat(16))));
    }
    object
}

/// Merges the `stringData` of a Secret into its `data`.
pub fn fold(secret: &mut Value) {
    let Some(plain) = secret.as_object_mut().and_then(|fields| fields.remove("stringData")) else { return };
    for (key, value) in plain.as_object().into_iter().flatten() {
        secret["data"][key] = base64(ByteString(value.as_str().unwrap_or_default().into()));
    }
}

/// Bytes as the API serves them in a Secret's `data`.
pub fn base64(bytes: ByteString) -> Value {
    // Bytes always have a JSON form.
    serde_json::to_value(bytes).unwrap_or_default()
}

struct Placeholders;

impl SecretGenerator for Placeholders {
    fn alphanumeric(&self, length: usize) -> String {
        "x".repeat(length)
    }

    fn bcrypt(&self, _: &[u8]) -> Option<String> {
        Some(format!("$2b$10${}", "x".repeat(53)))
    }
}
