//! The custom resources that the operator reconciles, as their watches deliver them.

use api::names::EXTERNAL_FINALIZER;
use kube::core::{DynamicObject, ObjectMeta};
use plan::{ObjectKey, tags};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// All owners, as JSON, because decoded objects take three times as much memory.
#[derive(Debug, Default)]
pub(crate) struct Owners(Mutex<BTreeMap<ObjectKey, Stored>>);

#[derive(Debug)]
struct Stored {
    json: Box<[u8]>,
    /// See [`relevant`].
    relevant: u64,
}

impl Owners {
    /// An owner, without its managed fields.
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<DynamicObject> {
        serde_json::from_slice(&self.all().get(key)?.json).ok()
    }

    /// Whether there is such an owner.
    pub(crate) fn contains(&self, key: &ObjectKey) -> bool {
        self.all().contains_key(key)
    }

    /// The keys of all owners.
    pub(crate) fn keys(&self) -> BTreeSet<ObjectKey> {
        self.all().keys().cloned().collect()
    }

    /// Stores the newest version of an owner. Returns whether it has a change that is a reason to reconcile it.
    pub(crate) fn put(&self, key: &ObjectKey, mut object: DynamicObject) -> bool {
        let relevant = relevant(&object.metadata);
        object.metadata.managed_fields = None;
        let Ok(json) = serde_json::to_vec(&object) else { return false };
        let before = self.all().insert(key.clone(), Stored { json: json.into(), relevant });
        before.is_none_or(|before| before.relevant != relevant)
    }

    /// Removes an owner and returns whether there was one.
    pub(super) fn remove(&self, key: &ObjectKey) -> bool {
        self.all().remove(key).is_some()
    }

    /// Removes the owners of one kind that are not in a complete list, and returns them.
    pub(super) fn retain(
        &self,
        group: &str,
        kind: &str,
        listed: &BTreeSet<ObjectKey>,
    ) -> BTreeSet<ObjectKey> {
        let mut all = self.all();
        let is_gone = |key: &&ObjectKey| key.group == group && key.kind == kind && !listed.contains(*key);
        let gone: BTreeSet<_> = all.keys().filter(is_gone).cloned().collect();
        all.retain(|key, _| !gone.contains(key));
        gone
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Stored>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hash of everything about an owner that is a reason to reconcile it: neither its status is, nor what the operator notes
/// down in it about objects outside the cluster.
fn relevant(meta: &ObjectMeta) -> u64 {
    let mut hasher = DefaultHasher::new();
    let finalizers = meta.finalizers.iter().flatten().filter(|it| *it != EXTERNAL_FINALIZER);
    (&meta.uid, meta.generation, tags(meta), finalizers.collect::<Vec<_>>()).hash(&mut hasher);
    meta.deletion_timestamp.is_some().hash(&mut hasher);
    hasher.finish()
}
