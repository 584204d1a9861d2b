//! Stand-ins for values that nobody knows before they are made: of the right shape for whoever reads them, and never
//! to be taken for real ones.

use crate::{ObjectKey, Recipe, SecretGenerator, Unmade};
use api::thirdparty::cert_manager::Certificate;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a Secret with a certificate holds.
pub const TLS_KEYS: [&str; 3] = ["ca.crt", "tls.crt", "tls.key"];

/// Of "a placeholder", for a hundred years.
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

/// A Secret with values that are to be made up.
pub fn generated(mut secret: Value, generate: &BTreeMap<String, Recipe>) -> Result<Value, Unmade> {
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

/// A Secret with a certificate that is to be issued.
pub fn issued(mut secret: Value) -> Value {
    for key in TLS_KEYS {
        secret["data"][key] = base64(ByteString(tls(key).into_bytes()));
    }
    secret
}

/// A certificate whose key was thrown away, or something like a key.
fn tls(key: &str) -> String {
    if key != "tls.key" {
        return CERTIFICATE.into();
    }
    let words = base64(ByteString(b"a placeholder, made up offline".to_vec()));
    let words = words.as_str().unwrap_or_default();
    format!("-----BEGIN RSA PRIVATE KEY-----\n{words}\n-----END RSA PRIVATE KEY-----\n")
}

/// The Secret that cert-manager makes for a Certificate.
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

/// An object that somebody else makes; of a Secret, with a value for each of its keys.
pub fn awaited(mut object: Value) -> Value {
    fold(&mut object);
    if let Some(data) = object.get_mut("data").and_then(Value::as_object_mut) {
        data.values_mut().for_each(|value| *value = base64(ByteString(b"x".repeat(16))));
    }
    object
}

/// Folds the `stringData` of a Secret into its `data`.
pub fn fold(secret: &mut Value) {
    let Some(plain) = secret.as_object_mut().and_then(|fields| fields.remove("stringData")) else { return };
    for (key, value) in plain.as_object().into_iter().flatten() {
        secret["data"][key] = base64(ByteString(value.as_str().unwrap_or_default().into()));
    }
}

/// Bytes as a Secret's `data` holds them.
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
