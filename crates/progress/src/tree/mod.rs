//! Progress, folded into a tree: every owner, its children in order, and the state of each.
//!
//! Whatever shows progress renders from this, so that the same events give the same numbers everywhere. The rule: an object
//! is ready if it is ready itself and everything below it is, and every object that should exist counts once.
//!
//! The tree has no clock: callers pass the time, as a type of their own.

mod found;
mod node;
mod owner;
mod phase;
mod read;
#[cfg(test)]
mod tests;

pub use found::Found;
pub use node::{NodeState, TreeNode, tally};
pub use phase::Phase;

use crate::{Progress, Stage, State};
use owner::{Kind, Owner};
use plan::{ObjectKey, Readiness};
use std::{collections::BTreeMap, sync::Arc};

/// All owners that progress was reported of, and their children.
#[derive(Clone, Debug)]
pub struct Tree<T> {
    owners: BTreeMap<ObjectKey, Owner<T>>,
    /// One copy of each kind.
    kinds: Vec<Arc<Kind>>,
    /// Kinds of owners. A child of another kind is no owner, so no look-up is needed.
    owner_kinds: Vec<Arc<Kind>>,
    /// How many owners there have been.
    seen: usize,
    revision: u64,
}

/// That the state of an object changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// The owner.
    pub owner: ObjectKey,
    /// The child; `None` if the owner itself changed.
    pub child: Option<ObjectKey>,
    /// The new state.
    pub state: NodeState,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        let (owners, kinds, owner_kinds) = Default::default();
        Self { owners, kinds, owner_kinds, seen: 0, revision: 0 }
    }
}

impl<T: Copy> Tree<T> {
    /// Number of the last change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the tree has this owner.
    pub fn contains(&self, owner: &ObjectKey) -> bool {
        self.owners.contains_key(owner)
    }

    /// Takes in what the operator reports, and returns the states that changed.
    pub fn observe(&mut self, progress: &Progress, now: T) -> Vec<TreeChange> {
        let key = &progress.owner;
        match &progress.stage {
            Stage::Planned(planned) => {
                let kinds = planned.iter().map(|planned| self.kind(&planned.object)).collect();
                if self.owner(key, now).plan(planned, kinds, now) {
                    self.bump(key);
                }
                Vec::new()
            }
            Stage::Child { object, state } => {
                let owner = self.owner(key, now);
                let child = owner.advance(object, state, now);
                let begun = *state == State::Applying && owner.begin(now);
                let mut changes = Vec::new();
                if begun {
                    changes.extend(self.changed(key, None));
                }
                if child.is_some() {
                    changes.extend(self.changed(key, child));
                }
                changes
            }
            Stage::Concluded(verdict) => self.update(key, now, |owner| owner.conclude(verdict, now)),
            Stage::Paused => self.update(key, now, |owner| owner.pause(now)),
            Stage::Deleted => match self.owners.get(key).map(Owner::is_expected) {
                Some(true) => self.update(key, now, |owner| owner.delete(now)),
                Some(false) => {
                    self.owners.remove(key);
                    self.revision += 1;
                    Vec::new()
                }
                None => Vec::new(),
            },
        }
    }

    /// Adds an object that is waited for until its own status says that it is ready, and that stays in the tree when it is
    /// deleted.
    pub fn expect(&mut self, key: &ObjectKey, now: T) {
        self.owner(key, now).expect();
    }

    /// Takes in what the status of an expected object says.
    pub fn read_status(&mut self, key: &ObjectKey, readiness: &Readiness, now: T) -> Vec<TreeChange> {
        self.update(key, now, |owner| owner.read_status(readiness, now))
    }

    /// Counts as a change of an owner, also if the tree did not have it.
    pub fn touch(&mut self, key: &ObjectKey, now: T) {
        self.owner(key, now);
        self.bump(key);
    }

    /// The phase of an owner, without those of the objects below it.
    pub fn phase(&self, owner: &ObjectKey) -> Option<Phase> {
        self.owners.get(owner).map(|owner| owner.mark.phase)
    }

    /// Corrects since when an owner is in its phase.
    pub fn set_since(&mut self, owner: &ObjectKey, since: T) {
        if let Some(owner) = self.owners.get_mut(owner) {
            owner.mark.since = since;
        }
    }

    /// The owner with this key, a new one if there is none.
    fn owner(&mut self, key: &ObjectKey, now: T) -> &mut Owner<T> {
        if !self.owners.contains_key(key) {
            let kind = self.kind(key);
            if !self.owner_kinds.iter().any(|other| Arc::ptr_eq(other, &kind)) {
                self.owner_kinds.push(kind);
            }
            self.seen += 1;
        }
        self.owners.entry(key.clone()).or_insert_with(|| Owner::new(self.seen, now))
    }

    fn kind(&mut self, key: &ObjectKey) -> Arc<Kind> {
        if let Some(kind) = self.kinds.iter().find(|kind| kind.is_of(key)) {
            return Arc::clone(kind);
        }
        let kind = Arc::new(Kind::of(key));
        self.kinds.push(Arc::clone(&kind));
        kind
    }

    fn update(
        &mut self,
        key: &ObjectKey,
        now: T,
        update: impl FnOnce(&mut Owner<T>) -> bool,
    ) -> Vec<TreeChange> {
        let changed = update(self.owner(key, now));
        changed.then(|| self.changed(key, None)).into_iter().flatten().collect()
    }

    /// The change of an owner, or of its child at a position.
    fn changed(&mut self, key: &ObjectKey, position: Option<usize>) -> Option<TreeChange> {
        self.bump(key);
        let owner = self.owners.get(key)?;
        let child = position.and_then(|position| owner.children.get(position));
        let mark = child.map_or(&owner.mark, |child| &child.mark);
        let (namespace, owner_key) = (key.home(), key.clone());
        let child = child.map(|child| child.key(namespace));
        Some(TreeChange { owner: owner_key, child, state: owner.state(mark, namespace) })
    }

    fn bump(&mut self, key: &ObjectKey) {
        self.revision += 1;
        if let Some(owner) = self.owners.get_mut(key) {
            owner.revision = self.revision;
        }
    }
}
