//! What the operator tells of its work, kept for whoever looks.
//!
//! Reconciles tell it what happens and must not wait: it is one lock, held for a look-up and an assignment. A reader copies
//! what one page shows and works on that.

mod sight;
#[cfg(test)]
mod tests;
mod tree;

pub use sight::{Listing, Part, Query, Sight};

use crate::State;
use jiff::Timestamp;
use plan::{ObjectKey, Verdict};
use runtime::{Observer, Progress, Stage};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;
use tree::{Kind, Mark, Owner, Why};

/// What an object says of itself that is worth a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The version of what it runs.
    pub version: Option<Box<str>>,
    /// Where users reach it.
    pub url: Option<Box<str>>,
}

/// Names one object in an address of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Namespace.
    pub namespace: Box<str>,
    /// Kind, in the singular.
    pub kind: Box<str>,
    /// Name.
    pub name: Box<str>,
}

/// Remembers where every object is, and its children.
pub struct Board {
    summary: fn(&Value) -> Summary,
    clock: fn() -> Timestamp,
    memory: Mutex<Memory>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Memory {
    owners: BTreeMap<Address, Owner>,
    kinds: BTreeSet<Arc<Kind>>,
    revision: u64,
}

impl Board {
    /// An empty one. `summary` finds in an object what is worth a column.
    pub fn new(summary: fn(&Value) -> Summary, clock: fn() -> Timestamp) -> Self {
        Self { summary, clock, memory: Mutex::default(), changed: watch::Sender::new(0) }
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Tells of changes from now on, by the number of the last.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is remembered of an object, and tells whoever looks if that made a difference.
    fn change(
        &self,
        key: &ObjectKey,
        change: impl FnOnce(&mut Owner, &mut BTreeSet<Arc<Kind>>, Timestamp) -> bool,
    ) {
        let now = self.now();
        let mut memory = self.memory();
        let Memory { owners, kinds, revision } = &mut *memory;
        let owner = owners.entry(Address::of(key)).or_insert_with(|| Owner::new(interned(kinds, key), now));
        if change(owner, kinds, now) {
            *revision += 1;
            owner.revision = *revision;
            self.changed.send_replace(*revision);
        }
    }

    fn forget(&self, key: &ObjectKey) {
        let mut memory = self.memory();
        if memory.owners.remove(&Address::of(key)).is_some() {
            memory.revision += 1;
            self.changed.send_replace(memory.revision);
        }
    }
}

impl Observer for Board {
    fn see(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
        let object = object();
        let (summary, told) = ((self.summary)(&object), told(&object));
        let parent = parent(owner, &object).map(Box::new);
        self.change(owner, |owner, _, _| {
            let differs = owner.summary != summary || owner.parent != parent;
            (owner.summary, owner.parent, owner.told) = (summary, parent, told);
            differs
        });
    }

    fn observe(&self, progress: Progress) {
        let Progress { owner: key, stage } = progress;
        match stage {
            Stage::Planned(planned) => {
                self.change(&key, |owner, kinds, now| owner.plan(&planned, |key| interned(kinds, key), now));
            }
            Stage::Child { object, state } => {
                self.change(&key, |owner, _, now| owner.advance(&object, &state, now));
            }
            Stage::Concluded(verdict) => self.change(&key, |owner, _, now| owner.conclude(&verdict, now)),
            Stage::Paused => {
                self.change(&key, |owner, _, now| owner.mark.change(State::Paused, Why::Nothing, now));
            }
            Stage::Deleted => self.forget(&key),
        }
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl Address {
    /// That of an object.
    pub fn of(key: &ObjectKey) -> Self {
        Self {
            namespace: key.namespace.as_str().into(),
            kind: key.kind.as_str().into(),
            name: key.name.as_str().into(),
        }
    }
}

impl Owner {
    fn advance(&mut self, object: &ObjectKey, state: &runtime::State, now: Timestamp) -> bool {
        let Some(position) = self.position(object) else { return false };
        let (state, why) = match state {
            runtime::State::Applying => (State::Applying, Why::Nothing),
            runtime::State::Waiting(why) => (State::Waiting, Why::words(why)),
            runtime::State::Ready => (State::Ready, Why::Nothing),
            runtime::State::Failed(failure) => {
                (State::Failed, Why::words(&format!("{}: {}", failure.reason, failure.message)))
            }
            runtime::State::Blocked { by } => {
                let culprit = self.position(by).and_then(|by| u16::try_from(by).ok());
                (State::Blocked, culprit.map_or(Why::Nothing, Why::Sibling))
            }
        };
        let mark = &mut self.children[position].mark;
        // A moment's work on what was ready or about to be is not worth a flicker; what comes of it is told next.
        if state == State::Applying && matches!(mark.state, State::Ready | State::Waiting) {
            return false;
        }
        let changed = mark.change(state, why, now);
        let begun = self.mark.state == State::Pending && self.mark.change(State::Applying, Why::Nothing, now);
        changed || begun
    }

    fn conclude(&mut self, verdict: &Verdict, now: Timestamp) -> bool {
        let (state, why) = match verdict {
            Verdict::Ready => (State::Ready, Why::Nothing),
            Verdict::Interrupted => return false,
            Verdict::Progressing { message, .. } => (State::Waiting, Why::words(message)),
            Verdict::Stalled { reason, message } => {
                (State::Failed, Why::words(&format!("{reason}: {message}")))
            }
        };
        let unknown = matches!(self.mark.state, State::Pending | State::Applying);
        let changed = self.mark.change(state, why, now);
        // A process that has just started knows from the object itself since when.
        if let Some((ready, since)) = self.told.filter(|_| unknown)
            && ready == (state == State::Ready)
        {
            self.mark.date(since);
        }
        changed
    }
}

/// The object that an object says is its controller.
fn parent(key: &ObjectKey, object: &Value) -> Option<Address> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    let owner = owners.iter().find(|owner| owner["controller"] == true)?;
    let text = |field: &str| owner[field].as_str().unwrap_or_default().into();
    Some(Address { namespace: key.namespace.as_str().into(), kind: text("kind"), name: text("name") })
}

/// Since when an object's own condition says that it is ready, or that it is not.
fn told(object: &Value) -> Option<(bool, Timestamp)> {
    let conditions = object["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready")?;
    let since = ready["lastTransitionTime"].as_str()?.parse().ok()?;
    Some((ready["status"] == "True", since))
}

/// The one copy of a kind; there are as many as kinds.
fn interned(kinds: &mut BTreeSet<Arc<Kind>>, key: &ObjectKey) -> Arc<Kind> {
    let kind = Kind { group: key.group.as_str().into(), name: key.kind.as_str().into() };
    if let Some(known) = kinds.get(&kind) {
        return Arc::clone(known);
    }
    let kind = Arc::new(kind);
    kinds.insert(Arc::clone(&kind));
    kind
}
