//! All objects, by kind, namespace and name, under one revision counter, with a log of changes for watches.

use serde_json::Value;
use std::sync::Arc;

/// Where an object is. Versions of a kind share one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub group: Arc<str>,
    pub plural: Arc<str>,
    /// Empty for cluster-scoped objects.
    pub namespace: Arc<str>,
    pub name: Arc<str>,
}

/// One committed change.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The revision that the change made; also that of the object it left behind.
    pub revision: u64,
    pub key: Key,
    /// None where the object was created.
    pub before: Option<Arc<Value>>,
    /// None where the object was deleted.
    pub after: Option<Arc<Value>>,
}
