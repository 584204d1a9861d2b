//! Versions of an object, for change detection.

use api::names::EXTERNAL_ANNOTATION;
use kube::core::ObjectMeta;
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

/// A label or an annotation as two hashes: small, and enough to detect a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u64, u64);

/// The version of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectVersion {
    /// The resource version, which changes with every change of the object.
    pub version: String,
    /// A hash that changes with the fields that plans depend on: spec, labels and annotations. An update of the
    /// status does not change it.
    pub spec_hash: u64,
}

impl ObjectVersion {
    /// The version of the object with this metadata. For kinds without generations, the hash changes with every
    /// version.
    pub fn of(meta: &ObjectMeta) -> Self {
        let version = meta.resource_version.clone().unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        meta.uid.hash(&mut hasher);
        match meta.generation {
            Some(generation) => {
                generation.hash(&mut hasher);
                tags(meta).hash(&mut hasher);
            }
            None => version.hash(&mut hasher),
        }
        Self { version, spec_hash: hasher.finish() }
    }
}

/// The labels and annotations of an object, as hashes. The operator's own record of what it created outside the cluster is
/// none that anything is decided on.
pub fn tags(meta: &ObjectMeta) -> BTreeSet<Tag> {
    let empty = BTreeMap::new();
    let labels = meta.labels.as_ref().unwrap_or(&empty).iter().map(|(key, value)| tag("label", key, value));
    let annotations = meta.annotations.as_ref().unwrap_or(&empty).iter();
    let annotations = annotations.filter(|(key, _)| *key != EXTERNAL_ANNOTATION);
    labels.chain(annotations.map(|(key, value)| tag("annotation", key, value))).collect()
}

fn tag(sort: &str, key: &str, value: &str) -> Tag {
    let hash = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    Tag(hash(&|hasher| (sort, key).hash(hasher)), hash(&|hasher| value.hash(hasher)))
}
