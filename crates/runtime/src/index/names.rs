//! Whether there is an object of some name, without remembering any.

use plan::ObjectKey;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

/// The names of everything the watches show, as hashes: eight bytes for each Secret of a cluster.
///
/// A hint for which request to try first, never more: the watch lags, and two names may have the same hash.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<(String, String), HashSet<u64>>);

impl Names {
    pub(super) fn add(&mut self, key: &ObjectKey) {
        self.0.entry((key.group.clone(), key.kind.clone())).or_default().insert(hash(key));
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        if let Some(names) = self.0.get_mut(&(key.group.clone(), key.kind.clone())) {
            names.remove(&hash(key));
        }
    }

    /// All names of one kind are these.
    pub(super) fn replace(&mut self, group: &str, kind: &str, listed: &BTreeSet<ObjectKey>) {
        self.0.insert((group.into(), kind.into()), listed.iter().map(hash).collect());
    }

    pub(super) fn contains(&self, key: &ObjectKey) -> bool {
        self.0.get(&(key.group.clone(), key.kind.clone())).is_some_and(|names| names.contains(&hash(key)))
    }
}

fn hash(key: &ObjectKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&key.namespace, &key.name).hash(&mut hasher);
    hasher.finish()
}
