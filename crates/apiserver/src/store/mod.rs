//! All objects, by kind, namespace and name, under one revision counter, with a log of changes for watches.

mod collection;

pub(crate) use collection::{Collection, Compacted};

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// Identifies an object. Versions of a kind have the same key.
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
    /// The revision of the change, and of the object after it.
    pub revision: u64,
    pub key: Key,
    /// None if the object was created.
    pub before: Option<Arc<Value>>,
    /// None if the object was deleted.
    pub after: Option<Arc<Value>>,
}

/// All objects of a server.
#[derive(Debug)]
pub(crate) struct Store {
    revision: u64,
    /// Changes up to this revision are unknown.
    origin: u64,
    /// How many changes of each kind are kept for watches.
    history: usize,
    collections: BTreeMap<(Arc<str>, Arc<str>), Collection>,
    /// The objects that name an object, by uid, as an owner.
    dependents: HashMap<String, BTreeSet<Key>>,
}

impl Store {
    /// An empty store that keeps this many changes of each kind.
    pub fn new(history: usize) -> Self {
        // As with etcd, the first object does not get revision 1: 0 and 1 mean "any" to some clients.
        Self { revision: 1, origin: 0, history, collections: BTreeMap::new(), dependents: HashMap::new() }
    }

    /// The newest revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The objects of a kind.
    pub fn collection(&mut self, group: &str, plural: &str) -> &mut Collection {
        let place = (Arc::from(group), Arc::from(plural));
        let (history, revision, origin) = (self.history, self.revision, self.origin);
        self.collections.entry(place).or_insert_with(|| Collection::new(history, revision, origin))
    }

    /// Adds a kind without known changes.
    pub fn begin(&mut self, group: &str, plural: &str) {
        let revision = self.revision;
        self.collection(group, plural).forget(revision);
    }

    /// The objects of a kind in a namespace, or in all.
    pub fn objects(
        &self,
        group: &str,
        plural: &str,
        namespace: Option<&str>,
    ) -> impl Iterator<Item = &Arc<Value>> {
        let place = (Arc::from(group), Arc::from(plural));
        self.collections.get(&place).into_iter().flat_map(move |collection| collection.objects(namespace))
    }

    /// Every object with its key.
    pub fn everything(&self) -> impl Iterator<Item = (Key, &Arc<Value>)> {
        self.collections.iter().flat_map(|((group, plural), collection)| {
            collection.entries().map(move |((namespace, name), object)| {
                let key = Key {
                    group: Arc::clone(group),
                    plural: Arc::clone(plural),
                    namespace: Arc::clone(namespace),
                    name: Arc::clone(name),
                };
                (key, object)
            })
        })
    }

    /// One object.
    pub fn get(&self, key: &Key) -> Option<&Arc<Value>> {
        self.collections
            .get(&(Arc::clone(&key.group), Arc::clone(&key.plural)))?
            .get(&key.namespace, &key.name)
    }

    /// The objects that name the object with this uid as an owner.
    pub fn dependents(&self, uid: &str) -> impl Iterator<Item = &Key> {
        self.dependents.get(uid).into_iter().flatten()
    }

    /// Stores or removes the object of a key. The new revision becomes its resource version.
    pub fn commit(&mut self, key: &Key, after: Option<Value>) -> Change {
        self.revision += 1;
        let revision = self.revision;
        let after = after.map(|mut object| {
            object["metadata"]["resourceVersion"] = revision.to_string().into();
            Arc::new(object)
        });
        self.put(Change { revision, key: key.clone(), before: self.get(key).cloned(), after })
    }

    /// Continues after this revision of an earlier process.
    pub fn restore_revision(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
    }

    /// Restores a change that an earlier process committed, including its resource version.
    pub fn restore(&mut self, mut change: Change) {
        self.revision = self.revision.max(change.revision);
        change.before = self.get(&change.key).cloned();
        self.put(change);
    }

    /// Drops the history of an earlier process, of which only the result is known, also for kinds without objects.
    pub fn forget_the_past(&mut self) {
        self.origin = self.revision;
        self.compact();
    }

    /// Drops all changes: a watch from an older revision has to start over.
    pub fn compact(&mut self) {
        let revision = self.revision;
        self.collections.values_mut().for_each(|collection| collection.compact(revision));
    }

    fn put(&mut self, change: Change) -> Change {
        if let Some(before) = &change.before {
            for uid in owner_uids(before) {
                if let Some(dependents) = self.dependents.get_mut(uid) {
                    dependents.remove(&change.key);
                    if dependents.is_empty() {
                        self.dependents.remove(uid);
                    }
                }
            }
        }
        if let Some(after) = &change.after {
            for uid in owner_uids(after) {
                self.dependents.entry(uid.to_owned()).or_default().insert(change.key.clone());
            }
        }
        self.collection(&change.key.group, &change.key.plural).put(change.clone());
        change
    }
}

fn owner_uids(object: &Value) -> impl Iterator<Item = &str> {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    owners.filter_map(|owner| owner["uid"].as_str())
}

#[cfg(test)]
mod tests;
