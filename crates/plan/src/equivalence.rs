//! Values that mean the same as the ones before them.
//!
//! Pods are replaced when the digest of a value they use changes. An htpasswd line with a new hash of the same password
//! is another value, but no reason to replace pods.

use crate::Digest;
use api::names::equivalence_annotation;
use serde_json::Value;

/// The annotation, as name and value, with which the value of `key` counts as the one before it. Both values are as
/// the API serves them.
pub fn equivalence(key: &str, before: Digest, now: &str) -> (String, String) {
    (equivalence_annotation(key), format!("{}={before}", Digest::of_bytes(now.as_bytes())))
}

/// The digest that stands for the value of `key` in an object with this metadata. The annotation applies only to the
/// value whose digest it names: any later value has its own digest.
pub fn counted(metadata: Option<&Value>, key: &str, value: &str) -> Digest {
    let actual = Digest::of_bytes(value.as_bytes());
    let annotation =
        metadata.and_then(|it| it.get("annotations")?.get(equivalence_annotation(key))?.as_str());
    match annotation.and_then(|same| same.split_once('=')) {
        Some((now, before)) if now == actual.to_string() => Digest::parse(before).unwrap_or(actual),
        _ => actual,
    }
}
