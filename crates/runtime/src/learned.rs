//! What a run learns while it goes on.

use crate::{
    Failure,
    absences::Absences,
    contention::Repairs,
    happenings::{Happening, What},
    index::{Edition, Interest},
    memo::{Applied, Done, Read},
};
use plan::{Content, ContentDigests, ObjectKey, Reached, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of an owner's children, and of what it read, at this point of a run.
#[derive(Debug, Default)]
pub(crate) struct Learned {
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
    pub(crate) happenings: Vec<Happening>,
}

impl Learned {
    pub(crate) fn happened(&mut self, object: &ObjectKey, what: What) {
        self.happenings.push(Happening { object: object.clone(), what });
    }

    /// Forgets what only an earlier pass of planning has asked for: the plan was not decided on it.
    pub(crate) fn forget_all_but(&mut self, reads: &BTreeSet<ObjectKey>) {
        self.reads.retain(|key, _| reads.contains(key));
        self.contents.retain(|key, _| reads.contains(key));
    }

    /// Remembers the state and the content digests of what was read; not the content.
    pub(crate) fn note(&mut self, found: &Snapshot, interest: Interest) -> Result<(), Failure> {
        for (key, object) in found {
            let state = object.as_ref().map(|object| Edition::of(&object.metadata));
            let earlier = self.reads.get(key).map_or(interest, |read| read.interest);
            self.reads.insert(key.clone(), Read { state, interest: interest.max(earlier) });
            let content = match object {
                Some(object) => Some(Content::of(
                    &serde_json::to_value(&**object)
                        .map_err(|_| Failure::Bug(format!("{key} cannot be encoded")))?,
                )),
                None => None,
            };
            self.contents.insert(key.clone(), content);
        }
        Ok(())
    }
}
