//! The last deletions that watches reported.
//!
//! A watch may report a deletion before the answer to an earlier write of the operator arrives. Without a record of the
//! deletion, the index would take that answer for a new object, and its owner would not create the object again.

use plan::{ObjectKey, Observation};
use std::collections::{HashMap, VecDeque};

/// How many deletions are remembered. An answer is at most as late as a request takes, and fewer objects are deleted in
/// that time.
const CAPACITY: usize = 1024;

/// Deleted objects and the resource versions of their deletions.
#[derive(Debug, Default)]
pub(super) struct Deletions {
    versions: HashMap<ObjectKey, String>,
    /// Oldest first. Keys that have come back are still in it.
    order: VecDeque<ObjectKey>,
}

impl Deletions {
    /// An object was deleted, or no longer matches the selector of its watch.
    pub(super) fn add(&mut self, key: &ObjectKey, resource_version: &str) {
        if self.versions.insert(key.clone(), resource_version.into()).is_none() {
            self.order.push_back(key.clone());
        }
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.versions.remove(&oldest);
        }
    }

    /// Whether this state of an object is older than its deletion.
    pub(super) fn contains(&self, key: &ObjectKey, observation: &Observation) -> bool {
        self.versions.get(key).is_some_and(|version| observation.is_older_than(version))
    }
}
