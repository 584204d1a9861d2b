//! The custom resources that the operator reconciles, as their watches deliver them.

use api::names::{EXTERNAL_FINALIZER, RECONCILE_AT_ANNOTATION};
use kube::core::{DynamicObject, ObjectMeta};
use plan::{ObjectKey, tags};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::time::Instant;

/// All owners, as JSON, because decoded objects take three times as much memory.
#[derive(Debug, Default)]
pub(crate) struct Owners(Mutex<BTreeMap<ObjectKey, Stored>>);

#[derive(Debug)]
struct Stored {
    json: Box<[u8]>,
    /// See [`relevant`].
    relevant: u64,
    /// The annotation with which users ask for a comparison.
    request: Option<String>,
    /// See [`Owners::comparison_requested`].
    requested: Option<Instant>,
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

    /// All owners of a kind.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> Vec<DynamicObject> {
        let all = self.all();
        let of_kind = all.iter().filter(|(key, _)| key.group == group && key.kind == kind);
        of_kind.filter_map(|(_, stored)| serde_json::from_slice(&stored.json).ok()).collect()
    }

    /// Stores the newest version of an owner. Returns whether it has a change that is a reason to reconcile it.
    pub(crate) fn put(&self, key: &ObjectKey, mut object: DynamicObject) -> bool {
        let relevant = relevant(&object.metadata);
        object.metadata.managed_fields = None;
        let Ok(json) = serde_json::to_vec(&object) else { return false };
        let request =
            object.metadata.annotations.as_ref().and_then(|all| all.get(RECONCILE_AT_ANNOTATION).cloned());
        let mut all = self.all();
        let before = all.get(key);
        let is_request = before.is_some_and(|before| request.is_some() && before.request != request);
        let requested =
            if is_request { Some(Instant::now()) } else { before.and_then(|before| before.requested) };
        let before = all.insert(key.clone(), Stored { json: json.into(), relevant, request, requested });
        before.is_none_or(|before| before.relevant != relevant)
    }

    /// When a user last asked the operator to compare the owner with the systems outside the cluster that it reads.
    pub(crate) fn comparison_requested(&self, key: &ObjectKey) -> Option<Instant> {
        self.all().get(key)?.requested
    }

    /// The value of the annotation with which a user asks for that.
    pub(crate) fn comparison_request(&self, key: &ObjectKey) -> Option<String> {
        self.all().get(key)?.request.clone()
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
