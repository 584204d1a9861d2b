//! State that a reconcile collects while it runs.

use super::contention::Repairs;
use crate::{
    ReconcileError,
    cluster::{Absences, Interest, is_input},
    report::{ChangeKind, ChildChange},
};
use jiff::Timestamp;
use plan::{
    Applied, Content, ContentDigests, ExternalObjects, Gate, ObjectKey, ObjectVersion, Reached, Snapshot,
};
use std::collections::{BTreeMap, BTreeSet};

/// The state of an owner's children and reads at this point of a reconcile.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    /// The state in which the operator left the children, initially from earlier reconciles.
    pub(crate) applied: BTreeMap<ObjectKey, Applied>,
    /// How often the operator recently repaired the children.
    pub(crate) repairs: Repairs,
    /// The objects that the owner reads and that do not exist.
    pub(crate) absences: Absences,
    /// What this reconcile has done about each child.
    pub(crate) done: BTreeMap<ObjectKey, Done>,
    /// How far the rollouts of the children have come that this reconcile has ensured.
    pub(crate) reached: BTreeMap<ObjectKey, Reached>,
    /// The objects that were read.
    pub(crate) reads: BTreeMap<ObjectKey, Read>,
    /// The content digests of the Secrets and ConfigMaps that were read.
    pub(crate) contents: ContentDigests,
    /// The objects outside the cluster that the owner has or read, as far as they exist.
    pub(crate) external: ExternalObjects,
    /// When something was written outside the cluster.
    pub(crate) written: Option<Timestamp>,
    /// Changes to report as events.
    pub(crate) child_changes: Vec<ChildChange>,
}

impl RunState {
    pub(crate) fn changed_child(&mut self, object: &ObjectKey, kind: ChangeKind) {
        self.child_changes.push(ChildChange { object: object.clone(), kind });
    }

    /// Notes how a reconcile left a child.
    pub(crate) fn left(&mut self, key: &ObjectKey, applied: Applied, done: Done, reached: Reached) {
        self.applied.insert(key.clone(), applied);
        self.done.insert(key.clone(), done);
        self.reached.insert(key.clone(), reached);
    }

    /// Forgets reads that only an earlier pass of planning made: the plan does not depend on them.
    pub(crate) fn forget_all_but(&mut self, reads: &BTreeSet<ObjectKey>) {
        self.reads.retain(|key, _| reads.contains(key));
        self.contents.retain(|key, _| reads.contains(key));
    }

    /// Records the versions of objects that were read, and of Secrets and ConfigMaps the digests of their content.
    pub(crate) fn note(&mut self, found: &Snapshot, interest: Interest) -> Result<(), ReconcileError> {
        for (key, object) in found {
            let state = object.as_ref().map(|object| ObjectVersion::of(&object.metadata));
            let earlier = self.reads.get(key).map_or(interest, |read| read.interest);
            self.reads.insert(key.clone(), Read { state, interest: interest.max(earlier) });
            // Pods and certificates use nothing else.
            if key.is_object() && is_input(&key.group, &key.kind) {
                let json = object.as_ref().map(|object| serde_json::to_value(&**object)).transpose();
                let json = json.map_err(|_| ReconcileError::Bug(format!("{key} cannot be encoded")))?;
                self.contents.insert(key.clone(), json.as_ref().map(Content::of));
            }
        }
        Ok(())
    }
}

/// An object that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Its version; `None` if it did not exist.
    pub(crate) state: Option<ObjectVersion>,
    /// Which of its changes affect the reader.
    pub(crate) interest: Interest,
}

/// What a reconcile did about a child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Done {
    /// Nothing: the remembered state of the child is from an earlier plan.
    #[default]
    Nothing,
    /// Everything except changes that wait for a dependency; the text names it if the owner is not ready because of
    /// that.
    Held(Option<String>),
    /// Everything that was desired.
    Everything,
}

impl Done {
    /// Everything that the gate permits. `held` says why the upgrade waits, if it does.
    pub(crate) fn all_permitted<N: Copy>(gate: Gate<N>, held: Option<&String>) -> Self {
        match (held, gate.change) {
            (Some(why), _) => Self::Held(Some(why.clone())),
            (None, Some(_)) => Self::Held(None),
            (None, None) => Self::Everything,
        }
    }
}
