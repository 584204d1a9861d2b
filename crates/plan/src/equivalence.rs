//! Values that say the same as the ones before them.
//!
//! Pods are replaced when the digest of a value they use changes. An htpasswd line with a new hash of the same password
//! is another value, but nothing to replace pods for.

use crate::Digest;
use serde_json::Value;

/// How the name of the annotation begins; the key follows.
const PREFIX: &str = "checksum.goharbor.io/same-";

/// The annotation, as name and value, with which the value of `key` counts as the one before it. Both values are as
/// the API serves them.
pub fn equivalence(key: &str, before: Digest, now: &str) -> (String, String) {
    (format!("{PREFIX}{key}"), format!("{}={before}", Digest::of_bytes(now.as_bytes())))
}

/// The digest that the value of `key` counts as, in an object with this metadata. The annotation names the value it is
/// about: any later one counts as itself.
pub fn counted(metadata: Option<&Value>, key: &str, value: &str) -> Digest {
    let actual = Digest::of_bytes(value.as_bytes());
    let annotation = metadata.and_then(|it| it.get("annotations")?.get(format!("{PREFIX}{key}"))?.as_str());
    match annotation.and_then(|same| same.split_once('=')) {
        Some((now, before)) if now == actual.to_string() => Digest::parse(before).unwrap_or(actual),
        _ => actual,
    }
}
