//! Reads during a reconcile, in addition to the reads of planning.

use super::{
    Read,
    ensure::{Applier, Child},
};
use crate::{ReconcileError, cluster::Interest};
use kube::core::DynamicObject;
use plan::{Absence, ChildKind, ContentDigests, Health, ObjectKey, Policy, Readiness, References, Snapshot};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

impl Applier<'_> {
    /// The health of an object that another program creates.
    pub(super) async fn awaited(
        &self,
        Child { key, kind, desired }: Child<'_>,
    ) -> Result<Health, ReconcileError> {
        let (why, absence) = match &desired.policy {
            Policy::Await { why, absence } => (why.as_str(), *absence),
            Policy::Apply
            | Policy::CreateOnce { .. }
            | Policy::Issue(_)
            | Policy::External(_)
            | Policy::Amend { .. } => ("", Absence::Passing),
        };
        let found = self.cluster.fetch(self.owner, &[key.clone()].into(), Interest::SpecAndStatus).await?;
        self.state().note(&found, Interest::SpecAndStatus)?;
        awaited(key, kind, (why, absence), &found)
    }

    /// Whether an object exists. Records the digests of its content.
    pub(super) async fn read(&self, key: &ObjectKey) -> Result<bool, ReconcileError> {
        Ok(self.find(key).await?.is_some())
    }

    /// An object, if it exists. Records the digests of its content.
    pub(crate) async fn find(&self, key: &ObjectKey) -> Result<Option<Arc<DynamicObject>>, ReconcileError> {
        let mut found = self.cluster.fetch(self.owner, &[key.clone()].into(), Interest::Spec).await?;
        self.state().note(&found, Interest::Spec)?;
        Ok(found.remove(key).flatten())
    }

    /// Subscribes the owner to changes of an object that was read.
    pub(super) fn subscribe(&self, key: &ObjectKey, stored: &DynamicObject) -> Result<(), ReconcileError> {
        let found = Snapshot::from([(key.clone(), Some(Arc::new(stored.clone())))]);
        let keys = found.keys().cloned().collect();
        self.cluster.router.index.subscribe(self.owner, &keys, Interest::Spec);
        self.state().note(&found, Interest::Spec)
    }

    /// The content digests of the objects that a pod template refers to. Objects that planning has read are not read
    /// again.
    pub(super) async fn contents(&self, references: &References) -> Result<ContentDigests, ReconcileError> {
        let unread: BTreeSet<_> = {
            let state = self.state();
            references.keys().filter(|key| !state.contents.contains_key(*key)).cloned().collect()
        };
        let found = self.cluster.fetch(self.owner, &unread, Interest::Spec).await?;
        let mut state = self.state();
        state.note(&found, Interest::Spec)?;
        let known = |key: &ObjectKey| (key.clone(), state.contents.get(key).cloned().flatten());
        Ok(references.keys().map(known).collect())
    }

    /// The objects among `keys` that have changed since the previous reconcile read them.
    pub(super) fn changed<'k>(&self, keys: impl Iterator<Item = &'k ObjectKey>) -> Vec<ObjectKey> {
        let state = self.state();
        let spec_hash = |reads: &BTreeMap<ObjectKey, Read>, key: &ObjectKey| {
            reads.get(key).map(|read| read.state.as_ref().map(|state| state.spec_hash))
        };
        let is_changed = |key: &&ObjectKey| {
            let before = spec_hash(self.read_before, key);
            before.is_some() && before != spec_hash(&state.reads, key)
        };
        keys.filter(is_changed).cloned().collect()
    }
}

/// The health of an object that another program creates, from the objects that were read.
pub(crate) fn awaited(
    key: &ObjectKey,
    kind: &ChildKind,
    (why, absence): (&str, Absence),
    found: &Snapshot,
) -> Result<Health, ReconcileError> {
    let Some(object) = found.get(key).and_then(Option::as_ref) else {
        let readiness = match absence {
            Absence::Passing => Readiness::Progressing(format!("does not exist yet; {why}")),
            Absence::Lost => Readiness::Failed(why.to_owned()),
        };
        return Ok(Health::not_serving(readiness));
    };
    let undecodable = |_| ReconcileError::Bug(format!("{key} cannot be decoded"));
    serde_json::to_value(&**object).and_then(kind.health).map_err(undecodable)
}
