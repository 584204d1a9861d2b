//! Values that differ from the previous value but have the same meaning.
//!
//! Pods are replaced when the digest of a value they use changes. An htpasswd line with a new hash of the same password
//! differs from the previous line, but is no reason to replace pods.

use crate::Digest;
use api::names::equivalence_annotation;
use serde_json::Value;

/// The annotation, as name and value, that makes the value of `key` count as the previous value. `now` is the value as
/// the API serves it.
pub fn equivalence(key: &str, before: Digest, now: &str) -> (String, String) {
    (equivalence_annotation(key), format!("{}={before}", Digest::of_bytes(now.as_bytes())))
}

/// The digest of the value of `key` in an object with this metadata, or of the previous value if an annotation declares
/// both equivalent. The annotation applies only to the value whose digest it names.
pub fn equivalent_digest(metadata: Option<&Value>, key: &str, value: &str) -> Digest {
    let actual = Digest::of_bytes(value.as_bytes());
    let annotation =
        metadata.and_then(|it| it.get("annotations")?.get(equivalence_annotation(key))?.as_str());
    match annotation.and_then(|same| same.split_once('=')) {
        Some((now, before)) if now == actual.to_string() => Digest::parse(before).unwrap_or(actual),
        _ => actual,
    }
}
