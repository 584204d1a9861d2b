//! What a run learns while it goes on.

use super::contention::Repairs;
use crate::{
    ReconcileError,
    cluster::{Absences, Interest},
    report::{ChangeKind, ChildChange},
};
use plan::{Applied, Content, ContentDigests, ObjectKey, ObjectVersion, Reached, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of an owner's children, and of what it read, at this point of a run.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    /// How children were left, at first as remembered from earlier runs.
    pub(crate) applied: BTreeMap<ObjectKey, Applied>,
    /// How often children had to be put right lately.
    pub(crate) repairs: Repairs,
    /// What the owner misses.
    pub(crate) absences: Absences,
    /// What this run has done about children.
    pub(crate) done: BTreeMap<ObjectKey, Done>,
    /// How far the children have come that this run has looked at.
    pub(crate) reached: BTreeMap<ObjectKey, Reached>,
    /// What was read, and in which state.
    pub(crate) reads: BTreeMap<ObjectKey, Read>,
    /// The contents of what was read.
    pub(crate) contents: ContentDigests,
    /// What a user would ask about.
    pub(crate) child_changes: Vec<ChildChange>,
}

impl RunState {
    pub(crate) fn changed_child(&mut self, object: &ObjectKey, kind: ChangeKind) {
        self.child_changes.push(ChildChange { object: object.clone(), kind });
    }

    /// Forgets what only an earlier pass of planning has asked for: the plan was not decided on it.
    pub(crate) fn forget_all_but(&mut self, reads: &BTreeSet<ObjectKey>) {
        self.reads.retain(|key, _| reads.contains(key));
        self.contents.retain(|key, _| reads.contains(key));
    }

    /// Remembers the state and the content digests of what was read; not the content.
    pub(crate) fn note(&mut self, found: &Snapshot, interest: Interest) -> Result<(), ReconcileError> {
        for (key, object) in found {
            let state = object.as_ref().map(|object| ObjectVersion::of(&object.metadata));
            let earlier = self.reads.get(key).map_or(interest, |read| read.interest);
            self.reads.insert(key.clone(), Read { state, interest: interest.max(earlier) });
            let content = match object {
                Some(object) => Some(Content::of(
                    &serde_json::to_value(&**object)
                        .map_err(|_| ReconcileError::Bug(format!("{key} cannot be encoded")))?,
                )),
                None => None,
            };
            self.contents.insert(key.clone(), content);
        }
        Ok(())
    }
}

/// Something that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// The state it was in; `None` for what did not exist.
    pub(crate) state: Option<ObjectVersion>,
    /// Which changes of it matter.
    pub(crate) interest: Interest,
}

/// What a run did about a child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Done {
    /// Nothing: what is remembered of the child is from an earlier plan.
    #[default]
    Nothing,
    /// All but what has to wait for something else; the words say what for, where its owner waits for that too.
    Held(Option<String>),
    /// Everything.
    Everything,
}
