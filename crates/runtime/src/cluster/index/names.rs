//! Whether an object of a name exists, without storing the names.

use plan::ObjectKey;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

/// The names of all watched objects, as hashes: eight bytes for each Secret of a cluster.
///
/// The watch lags, and two names may have the same hash. So that an object exists is only a hint. That it does not
/// exist is true until the watch reports it.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: HashMap<(String, String), HashSet<u64>>,
    /// Kinds with a complete list.
    listed: HashSet<(String, String)>,
}

impl Names {
    pub(super) fn add(&mut self, key: &ObjectKey) {
        self.known.entry((key.group.clone(), key.kind.clone())).or_default().insert(hash(key));
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        if let Some(names) = self.known.get_mut(&(key.group.clone(), key.kind.clone())) {
            names.remove(&hash(key));
        }
    }

    /// Sets all names of one kind.
    pub(super) fn replace(&mut self, group: &str, kind: &str, listed: &BTreeSet<ObjectKey>) {
        self.listed.insert((group.into(), kind.into()));
        self.known.insert((group.into(), kind.into()), listed.iter().map(hash).collect());
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.values().map(HashSet::len).sum()
    }

    /// Whether all names of its kind are known.
    pub(super) fn has_listed(&self, key: &ObjectKey) -> bool {
        self.listed.contains(&(key.group.clone(), key.kind.clone()))
    }

    /// Whether all names of its kind are known and this is not one of them.
    pub(super) fn lacks(&self, key: &ObjectKey) -> bool {
        self.has_listed(key) && !self.contains(key)
    }

    pub(super) fn contains(&self, key: &ObjectKey) -> bool {
        self.known.get(&(key.group.clone(), key.kind.clone())).is_some_and(|names| names.contains(&hash(key)))
    }
}

fn hash(key: &ObjectKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&key.namespace, &key.name).hash(&mut hasher);
    hasher.finish()
}
