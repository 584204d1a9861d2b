//! Whether there is an object of some name, without remembering any.

use plan::ObjectKey;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

/// The names of everything the watches show, as hashes: eight bytes for each Secret of a cluster.
///
/// The watch lags, and two names may have the same hash: that there is an object is never more than a hint, and that there
/// is none holds until the watch tells otherwise.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: HashMap<(String, String), HashSet<u64>>,
    /// Kinds of which a complete list has ended.
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

    /// All names of one kind are these.
    pub(super) fn replace(&mut self, group: &str, kind: &str, listed: &BTreeSet<ObjectKey>) {
        self.listed.insert((group.into(), kind.into()));
        self.known.insert((group.into(), kind.into()), listed.iter().map(hash).collect());
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.values().map(HashSet::len).sum()
    }

    /// Whether all names of its kind are known and this is none of them.
    pub(super) fn lacks(&self, key: &ObjectKey) -> bool {
        self.listed.contains(&(key.group.clone(), key.kind.clone())) && !self.contains(key)
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
