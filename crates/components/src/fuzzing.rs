//! The parsers of user input, for the targets in `fuzz/`. Not part of the public interface.

use crate::{
    certificates::{pem_certificates, pem_private_key},
    connections::Url,
    values::{Fault, parse_yaml, quantity_bytes},
};
use serde_json::Value;

/// The value of an option in YAML.
pub fn option(text: &str) -> Result<Value, String> {
    parse_yaml(text).map_err(words)
}

/// Certificates to trust.
pub fn certificates(text: &[u8]) -> Result<(), String> {
    pem_certificates(text).map_err(words)
}

/// A private key.
pub fn private_key(text: &[u8]) -> Result<(), String> {
    pem_private_key(text).map_err(words)
}

/// The host and the port of a URL.
pub fn url(text: &str) -> Result<(String, Option<u16>), String> {
    let url = Url::parse(text, "spec.url").map_err(|error| error.to_string())?;
    Ok((url.host.to_owned(), url.port))
}

/// The size of a volume in bytes.
pub fn quantity(text: &str) -> Option<f64> {
    quantity_bytes(text)
}

fn words(fault: Fault) -> String {
    format!("{}; {}", fault.problem, fault.remedy)
}
