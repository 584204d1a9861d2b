//! An index of the cluster: for each object its owner, its readers, and its last observed state.
//!
//! A synchronous state machine. Every update returns the owners that it affects; the router enqueues them. The index
//! compares states, so an event without a relevant change affects no owner, and a re-list reveals missed deletions.

mod creation_order;
mod deletions;
mod inputs;
mod names;

pub(crate) use creation_order::Seniority;
pub(crate) use inputs::Interest;

use creation_order::CreationOrder;
use deletions::Deletions;
use inputs::Inputs;
use kube::core::{DynamicObject, ObjectMeta};
use names::Names;
use plan::{ObjectKey, ObjectVersion, Observation, ObservedObject, Ownership};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Longest chain of owners. It also ends a chain that is a cycle.
pub(crate) const MAX_OWNER_DEPTH: usize = 8;

/// Owners to reconcile.
pub(crate) type AffectedOwners = BTreeSet<ObjectKey>;

/// Shared by all watches and all reconciles of one scope.
#[derive(Debug, Default)]
pub(crate) struct Index(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Groups and kinds of owners, ownership children are tracked.
    owners: BTreeSet<(String, String)>,
    children: BTreeMap<ObjectKey, Observation>,
    /// Children by the uid of their controller.
    owned: HashMap<String, BTreeSet<ObjectKey>>,
    deletions: Deletions,
    inputs: Inputs,
    /// Kinds that the API server does not serve.
    unserved: BTreeSet<ObjectKey>,
    names: Names,
    creation_order: CreationOrder,
}

impl Index {
    /// Tracks the children of owners of this kind.
    pub(crate) fn track_children_of(&self, group: &str, kind: &str) {
        self.state().owners.insert((group.into(), kind.into()));
    }

    /// Whether the object is of a kind ownership children are tracked.
    pub(crate) fn is_owner(&self, key: &ObjectKey) -> bool {
        self.state().owners.contains(&(key.group.clone(), key.kind.clone()))
    }

    /// An object was created or changed.
    pub(crate) fn seen(&self, observed: ObservedObject) -> AffectedOwners {
        self.state().seen(observed)
    }

    /// An object was deleted.
    pub(crate) fn gone(&self, observed: &ObservedObject) -> AffectedOwners {
        self.state().gone(observed)
    }

    /// A complete list of one kind ended. Objects that are not `listed` no longer exist.
    pub(crate) fn listed(&self, group: &str, kind: &str, listed: &BTreeSet<ObjectKey>) -> AffectedOwners {
        let mut state = self.state();
        state.names.replace(group, kind, listed);
        let vanished = |key: &&ObjectKey| {
            key.is_object() && key.group == group && key.kind == kind && !listed.contains(*key)
        };
        let children: Vec<_> = state.children.keys().filter(vanished).cloned().collect();
        let mut affected = AffectedOwners::new();
        for key in children {
            affected.extend(state.forget_child(&key));
        }
        let inputs: Vec<_> = state.inputs.present().filter(vanished).cloned().collect();
        for key in inputs {
            affected.extend(state.inputs.observe(&key, None));
        }
        affected
    }

    /// The last observed state of a child.
    pub(crate) fn child(&self, key: &ObjectKey) -> Option<Observation> {
        self.state().children.get(key).cloned()
    }

    /// Whether this is the child of a tracked owner, so that the watch of its kind reports its changes.
    pub(crate) fn is_child(&self, key: &ObjectKey) -> bool {
        self.state().children.contains_key(key)
    }

    /// The children of the controller with this uid.
    pub(crate) fn owned_by(&self, uid: &str) -> Vec<ObservedObject> {
        let state = self.state();
        let keys = state.owned.get(uid).into_iter().flatten();
        keys.filter_map(|key| {
            Some(ObservedObject { key: key.clone(), observation: state.children.get(key)?.clone() })
        })
        .collect()
    }

    /// Reconciles `reader` when one of these objects changes, as far as it is interested. Call this before reading
    /// them, or a change in between is missed.
    pub(crate) fn subscribe(&self, reader: &ObjectKey, keys: &BTreeSet<ObjectKey>, interest: Interest) {
        self.state().inputs.subscribe(reader, keys, interest);
    }

    /// Ends all subscriptions of `reader` except for those to `keys`.
    pub(crate) fn unsubscribe_from_others(&self, reader: &ObjectKey, keys: &BTreeSet<ObjectKey>) {
        self.state().inputs.unsubscribe_from_others(reader, keys);
    }

    /// Whether an owner reads this object.
    pub(crate) fn is_read(&self, key: &ObjectKey) -> bool {
        self.state().inputs.is_read(key)
    }

    /// An input was read. Affects readers of another version.
    pub(crate) fn read(&self, key: &ObjectKey, object_version: Option<&ObjectVersion>) -> AffectedOwners {
        self.state().inputs.observe(key, object_version)
    }

    /// What is read of a kind, and by which readers.
    pub(crate) fn readers_of(&self, kind: &ObjectKey) -> Vec<(ObjectKey, AffectedOwners)> {
        self.state().inputs.readers_of(kind)
    }

    /// The owners that read an object.
    pub(crate) fn readers(&self, key: &ObjectKey) -> AffectedOwners {
        self.state().inputs.readers(key)
    }

    /// The state of an input, as far as known: `None` when it does not exist.
    pub(crate) fn input(&self, key: &ObjectKey) -> Option<ObjectVersion> {
        self.state().inputs.state(key).cloned()
    }

    /// The API server now serves a kind. Affects owners that read this when it did not.
    pub(crate) fn served(&self, kind: &ObjectKey) -> AffectedOwners {
        let mut state = self.state();
        if state.unserved.remove(kind) { state.observe_kind(kind).1 } else { AffectedOwners::new() }
    }

    /// The API server does not serve a kind, so objects of it cannot exist. Affects owners that read whether it is
    /// served, and owners of such objects.
    pub(crate) fn unserved(&self, kind: &ObjectKey) -> AffectedOwners {
        let mut affected = self.listed(&kind.group, &kind.kind, &BTreeSet::new());
        let mut state = self.state();
        if state.unserved.insert(kind.clone()) {
            affected.extend(state.observe_kind(kind).1);
        }
        affected
    }

    /// Whether the API server serves a kind. A kind that could not be listed for another reason counts as served:
    /// continuing without it by mistake is worse than failing.
    pub(crate) fn serves(&self, kind: &ObjectKey) -> bool {
        !self.state().unserved.contains(kind)
    }

    /// Whether a kind is served, for a reader that has subscribed to it.
    pub(crate) fn read_kind(&self, kind: &ObjectKey) -> Option<Arc<DynamicObject>> {
        // Under one lock, or a change between the answer and its recording would affect no reader.
        self.state().observe_kind(kind).0
    }

    /// The newest known version of an object, if it is a child or an input.
    pub(crate) fn object_version(&self, key: &ObjectKey) -> Option<ObjectVersion> {
        let state = self.state();
        state.inputs.state(key).cloned().or_else(|| state.children.get(key).map(Observation::object_version))
    }

    /// Whether the watch shows that there is no object of this name.
    pub(crate) fn lacks(&self, key: &ObjectKey) -> bool {
        self.state().names.lacks(key)
    }

    /// Whether the watch has delivered all objects of the kind of this key.
    pub(crate) fn has_listed(&self, key: &ObjectKey) -> bool {
        self.state().names.has_listed(key)
    }

    /// Whether there probably is an object of this name, with any owner.
    pub(crate) fn has(&self, key: &ObjectKey) -> bool {
        self.state().names.contains(key)
    }

    /// An owner exists.
    pub(crate) fn exists(&self, key: &ObjectKey, meta: &ObjectMeta) {
        self.state().creation_order.saw(key, meta.creation_timestamp.as_ref().map(|time| time.0));
    }

    /// An owner no longer exists.
    pub(crate) fn forget(&self, key: &ObjectKey) {
        let mut state = self.state();
        state.creation_order.forget(key);
        state.inputs.unsubscribe_from_others(key, &BTreeSet::new());
    }

    /// The seniority of the topmost owner of an object, so that all parts of an installation have the same.
    pub(crate) fn seniority(&self, key: &ObjectKey) -> Seniority {
        let state = self.state();
        let owner = |key: &ObjectKey| state.children.get(key)?.owner.as_ref().map(Ownership::key);
        let topmost = std::iter::successors(Some(key), |key| owner(key)).take(MAX_OWNER_DEPTH).last();
        let creation_order =
            [topmost, Some(key)].into_iter().flatten().find_map(|key| state.creation_order.of(key));
        creation_order.unwrap_or(Seniority::LEAST)
    }

    /// How many objects are stored as children, as inputs, and as a hash of their names.
    #[cfg(test)]
    pub(crate) fn remembered(&self) -> (usize, usize, usize) {
        let state = self.state();
        (state.children.len(), state.inputs.len(), state.names.len())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every method leaves the maps consistent before it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn seen(&mut self, ObservedObject { key, mut observation }: ObservedObject) -> AffectedOwners {
        if self.deletions.contains(&key, &observation) {
            return AffectedOwners::new();
        }
        let is_tracked = |ownership: &Ownership| {
            let owner = ownership.key();
            self.owners.contains(&(owner.group.clone(), owner.kind.clone()))
        };
        observation.owner = observation.owner.filter(is_tracked).map(|ownership| match ownership {
            Ownership::Owned(key, uid) => Ownership::Owned(self.creation_order.shared(key), uid),
            Ownership::Kept(key) => Ownership::Kept(self.creation_order.shared(key)),
        });
        self.names.add(&key);
        let key = self.children.get_key_value(&key).map_or(key, |(known, _)| known.clone());
        let before = self.children.get(&key);
        // The watch lags behind the answers to the operator's own writes.
        if before.is_some_and(|before| observation.is_older_than(&before.resource_version)) {
            return AffectedOwners::new();
        }
        if let Some(before) = before
            && observation.applied.is_none()
            && observation.owned_fields == before.owned_fields
        {
            observation.applied = before.applied;
        }
        let mut affected = self.inputs.observe(&key, Some(&observation.object_version()));
        if before.is_none_or(|before| before.differs_materially(&observation)) {
            let owners =
                before.and_then(|before| before.owner.as_ref()).into_iter().chain(&observation.owner);
            affected.extend(owners.map(|ownership| ownership.key().clone()));
        }
        let uid = |observation: &Observation| {
            observation.owner.as_ref().and_then(Ownership::controller).map(str::to_owned)
        };
        let (old, new) = (before.and_then(uid), uid(&observation));
        if old != new
            && let Some(old) = old
        {
            self.disown(&old, &key);
        }
        if let Some(new) = new {
            self.owned.entry(new).or_default().insert(key.clone());
        }
        // Objects without a tracked owner are not stored.
        if observation.owner.is_some() {
            self.children.insert(key, observation);
        } else {
            self.children.remove(&key);
        }
        affected
    }

    /// Records whether a kind is served. Returns what readers get, and the readers that got another answer before.
    fn observe_kind(&mut self, kind: &ObjectKey) -> (Option<Arc<DynamicObject>>, AffectedOwners) {
        let answer = (!self.unserved.contains(kind)).then(plan::served);
        let state = answer.as_ref().map(|answer| ObjectVersion::of(&answer.metadata));
        let affected = self.inputs.observe(kind, state.as_ref());
        (answer, affected)
    }

    fn gone(&mut self, observed: &ObservedObject) -> AffectedOwners {
        let key = &observed.key;
        let newer = |version: &str| observed.observation.is_older_than(version);
        let child = self.children.get(key);
        // A newer object of the same name exists.
        if child.is_some_and(|child| child.uid != observed.observation.uid && newer(&child.resource_version))
        {
            return AffectedOwners::new();
        }
        self.names.remove(key);
        self.deletions.add(key, &observed.observation.resource_version);
        let mut affected = self.forget_child(key);
        if !self.inputs.state(key).is_some_and(|state| newer(&state.version)) {
            affected.extend(self.inputs.observe(key, None));
        }
        affected
    }

    fn forget_child(&mut self, key: &ObjectKey) -> AffectedOwners {
        let Some(ownership) = self.children.remove(key).and_then(|child| child.owner) else {
            return AffectedOwners::new();
        };
        if let Some(uid) = ownership.controller() {
            self.disown(uid, key);
        }
        [ownership.key().clone()].into()
    }

    fn disown(&mut self, uid: &str, key: &ObjectKey) {
        if let Some(keys) = self.owned.get_mut(uid) {
            keys.remove(key);
            if keys.is_empty() {
                self.owned.remove(uid);
            }
        }
    }
}

#[cfg(test)]
mod tests;
