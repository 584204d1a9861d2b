//! What a tree stores of an owner and of its children: little, because a cluster may have thousands of them.

use super::{NodeState, Phase};
use crate::{Planned, State};
use plan::{ObjectKey, Readiness, Verdict};
use std::sync::Arc;

/// Longest message that is kept; the status of the object has the rest.
pub(super) const LONGEST_MESSAGE: usize = 1000;

/// A kind, shared by all children of it.
#[derive(Clone, Debug)]
pub(super) struct Kind(ObjectKey);

impl Kind {
    pub(super) fn of(key: &ObjectKey) -> Self {
        Self(key.its_kind())
    }

    pub(super) fn word(&self) -> &str {
        &self.0.kind
    }

    pub(super) fn is_of(&self, key: &ObjectKey) -> bool {
        self.0.kind == key.kind && self.0.group == key.group
    }
}

/// Why an object is in its phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Reason {
    #[default]
    None,
    Words(Box<str>),
    /// Behind a pointer, because few objects fail.
    Failure(Box<Failed>),
    /// The sibling at this position is not ready.
    Sibling(u16),
}

/// The reason of a failure, as in a condition, and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    reason: &'static str,
    message: Box<str>,
}

/// A phase, and the reason for it.
type Finding = (Phase, Reason);

/// The phase of an object, why, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark<T> {
    pub(super) phase: Phase,
    pub(super) since: T,
    reason: Reason,
}

/// An object that an owner wants to exist, in the namespace where that owner has its children.
#[derive(Clone, Debug)]
pub(super) struct Child<T> {
    pub(super) kind: Arc<Kind>,
    pub(super) name: Box<str>,
    pub(super) mark: Mark<T>,
}

/// An object that is reconciled, or expected.
#[derive(Clone, Debug)]
pub(super) struct Owner<T> {
    /// Its number in the order in which the tree learned of the owners.
    pub(super) number: usize,
    /// When that was.
    pub(super) began: T,
    pub(super) mark: Mark<T>,
    /// What the operator reported.
    reported: Finding,
    /// What its own status says, if it is expected.
    status: Option<Finding>,
    pub(super) children: Box<[Child<T>]>,
    /// Positions of a child and of one that waits for it.
    pub(super) edges: Box<[(u16, u16)]>,
    /// Number of the last change to any of this.
    pub(super) revision: u64,
}

impl<T: Copy> Mark<T> {
    fn pending(since: T) -> Self {
        Self { phase: Phase::Pending, since, reason: Reason::None }
    }

    /// Whether that is a change. Another reason for the same phase is one, and the phase has not begun anew.
    fn change(&mut self, (phase, reason): Finding, now: T) -> bool {
        if self.phase == phase && self.reason == reason {
            return false;
        }
        let since = if self.phase == phase { self.since } else { now };
        *self = Self { phase, since, reason };
        true
    }
}

impl<T: Copy> Owner<T> {
    pub(super) fn new(number: usize, now: T) -> Self {
        Self {
            number,
            began: now,
            mark: Mark::pending(now),
            reported: (Phase::Pending, Reason::None),
            status: None,
            children: Box::default(),
            edges: Box::default(),
            revision: 0,
        }
    }

    /// Takes in a plan, and returns whether it differs from the last one. Children that were planned before keep their marks.
    pub(super) fn plan(&mut self, planned: &[Planned], kinds: Vec<Arc<Kind>>, now: T) -> bool {
        let same = planned.len() == self.children.len()
            && planned.iter().zip(&self.children).all(|(planned, child)| child.is(&planned.object));
        let edges = edges(planned);
        if same && edges == self.edges {
            return false;
        }
        let mut before = std::mem::take(&mut self.children).into_vec();
        let child = |(planned, kind): (&Planned, Arc<Kind>)| {
            let known = before.iter().position(|child| child.is(&planned.object));
            let known = known.map(|position| before.swap_remove(position));
            let mut child = known.unwrap_or_else(|| Child {
                kind,
                name: planned.object.name.as_str().into(),
                mark: Mark::pending(now),
            });
            // Positions have changed; the run of this plan reports again which child blocks which.
            if let Reason::Sibling(_) = child.mark.reason {
                child.mark.reason = Reason::None;
            }
            child
        };
        self.children = planned.iter().zip(kinds).map(child).collect();
        self.edges = edges;
        true
    }

    /// Takes in the state of a child, and returns its position if that is a change.
    pub(super) fn advance(&mut self, object: &ObjectKey, state: &State, now: T) -> Option<usize> {
        let position = self.position(object)?;
        let finding = match state {
            State::Applying => (Phase::Applying, Reason::None),
            State::Waiting(why) => (Phase::Waiting, words(why)),
            State::Ready => (Phase::Ready, Reason::None),
            State::Failed(failure) => failed(failure.reason, &failure.message),
            State::Blocked { by } => {
                let by = self.position(by).and_then(|by| u16::try_from(by).ok());
                (Phase::Blocked, by.map_or(Reason::None, Reason::Sibling))
            }
        };
        let mark = &mut self.children[position].mark;
        // A write to an object that was ready or waiting would only flicker: its result is reported next.
        if finding.0 == Phase::Applying && matches!(mark.phase, Phase::Ready | Phase::Waiting) {
            return None;
        }
        mark.change(finding, now).then_some(position)
    }

    /// Takes in that a child is applied, and returns whether that is a change of the owner's own phase.
    pub(super) fn begin(&mut self, now: T) -> bool {
        self.reported.0 == Phase::Pending && self.report((Phase::Applying, Reason::None), now)
    }

    /// Takes in how a reconcile ended.
    pub(super) fn conclude(&mut self, verdict: &Verdict, now: T) -> bool {
        let finding = match verdict {
            Verdict::Ready => (Phase::Ready, Reason::None),
            Verdict::Interrupted => return false,
            Verdict::Progressing { message, .. } => (Phase::Waiting, words(message)),
            Verdict::Stalled { reason, message } => failed(reason, message),
        };
        self.report(finding, now)
    }

    pub(super) fn pause(&mut self, now: T) -> bool {
        self.report((Phase::Paused, Reason::None), now)
    }

    pub(super) fn delete(&mut self, now: T) -> bool {
        self.children = Box::default();
        self.edges = Box::default();
        self.report((Phase::Deleted, Reason::None), now)
    }

    pub(super) fn expect(&mut self) {
        self.status.get_or_insert((Phase::Pending, Reason::None));
    }

    pub(super) fn is_expected(&self) -> bool {
        self.status.is_some()
    }

    /// Takes in what its own status says.
    pub(super) fn read_status(&mut self, readiness: &Readiness, now: T) -> bool {
        self.status = Some(match readiness {
            Readiness::Ready => (Phase::Ready, Reason::None),
            Readiness::Progressing(why) => (Phase::Waiting, words(why)),
            Readiness::Failed(why) => (Phase::Failed, words(why)),
        });
        self.mark.change(self.finding(), now)
    }

    fn report(&mut self, finding: Finding, now: T) -> bool {
        self.reported = finding;
        self.mark.change(self.finding(), now)
    }

    /// An expected object is ready when its status says so; about everything else the operator knows more.
    fn finding(&self) -> Finding {
        let status = self.status.as_ref().filter(|(phase, _)| match self.reported.0 {
            Phase::Paused | Phase::Deleted => false,
            // The operator writes the status after it has reported.
            Phase::Ready | Phase::Pending => true,
            _ => *phase == Phase::Ready,
        });
        status.unwrap_or(&self.reported).clone()
    }

    pub(super) fn position(&self, object: &ObjectKey) -> Option<usize> {
        self.children.iter().position(|child| child.is(object))
    }

    /// A mark of this owner or of one of its children, in `namespace`, as readers see it.
    pub(super) fn state(&self, mark: &Mark<T>, namespace: &str) -> NodeState {
        let state = NodeState { phase: mark.phase, reason: None, message: None, blocked_by: None };
        match &mark.reason {
            Reason::None => state,
            Reason::Words(words) => NodeState { message: Some(words.to_string()), ..state },
            Reason::Failure(failed) => NodeState {
                reason: Some(failed.reason),
                message: Some(failed.message.to_string()).filter(|message| !message.is_empty()),
                ..state
            },
            Reason::Sibling(by) => {
                let by = self.children.get(usize::from(*by));
                NodeState { blocked_by: by.map(|by| by.key(namespace)), ..state }
            }
        }
    }
}

impl<T> Child<T> {
    pub(super) fn is(&self, object: &ObjectKey) -> bool {
        *self.name == *object.name && self.kind.is_of(object)
    }

    pub(super) fn key(&self, namespace: &str) -> ObjectKey {
        self.kind.0.object(namespace, &self.name)
    }
}

fn failed(reason: &'static str, message: &str) -> Finding {
    (Phase::Failed, Reason::Failure(Box::new(Failed { reason, message: cut(message) })))
}

fn words(words: &str) -> Reason {
    if words.is_empty() { Reason::None } else { Reason::Words(cut(words)) }
}

fn cut(message: &str) -> Box<str> {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]).into(),
        None => message.into(),
    }
}

/// Edges between the first 65536 children: more are never drawn.
fn edges(planned: &[Planned]) -> Box<[(u16, u16)]> {
    let edges = planned.iter().enumerate().flat_map(|(node, planned)| {
        let before = planned.after.iter().filter(move |&&before| before < node);
        before.filter_map(move |&before| Some((u16::try_from(before).ok()?, u16::try_from(node).ok()?)))
    });
    edges.collect()
}
