//! What is remembered of an object and of those it wants to exist: as little as can be shown, for there may be thousands.

use super::Address;
use crate::{State, Summary};
use jiff::Timestamp;
use plan::ObjectKey;
use runtime::Planned;
use std::sync::Arc;

/// Longest explanation that is kept; the object's own status has the rest.
const LONGEST: usize = 500;

/// A kind, shared by all objects of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) group: Box<str>,
    pub(crate) name: Box<str>,
}

/// Why an object is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Nothing,
    Words(Box<str>),
    /// Because of the sibling at this position.
    Sibling(u16),
}

/// A state, since when, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) state: State,
    /// Seconds; enough until the year 2106, and half the space.
    since: u32,
    pub(crate) why: Why,
}

/// An object that another wants to exist, in the same namespace.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    pub(crate) kind: Arc<Kind>,
    pub(crate) name: Box<str>,
    pub(crate) mark: Mark,
}

/// An object that wants others to exist.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) kind: Arc<Kind>,
    pub(crate) mark: Mark,
    pub(crate) summary: Summary,
    /// The object that wants it to exist, as far as it says itself.
    pub(crate) parent: Option<Box<Address>>,
    /// Since when it says itself that it is ready, or that it is not.
    pub(crate) told: Option<(bool, Timestamp)>,
    pub(crate) children: Box<[Child]>,
    /// Positions of a child and of one that waits for it.
    pub(crate) edges: Box<[(u16, u16)]>,
    /// Number of the last change to any of this.
    pub(crate) revision: u64,
}

impl Mark {
    pub(crate) fn new(since: Timestamp) -> Self {
        Self { state: State::Pending, since: seconds(since), why: Why::Nothing }
    }

    pub(crate) fn since(&self) -> Timestamp {
        Timestamp::from_second(self.since.into()).unwrap_or_default()
    }

    /// Knows better since when.
    pub(crate) fn date(&mut self, since: Timestamp) {
        self.since = seconds(since);
    }

    /// Whether that is a change. Other words for the same state are one, and no reason to count anew.
    pub(crate) fn change(&mut self, state: State, why: Why, now: Timestamp) -> bool {
        if self.state == state && self.why == why {
            return false;
        }
        let since = if self.state == state { self.since } else { seconds(now) };
        *self = Self { state, since, why };
        true
    }
}

fn seconds(time: Timestamp) -> u32 {
    u32::try_from(time.as_second()).unwrap_or_default()
}

impl Why {
    /// These words, cut where they are longer than anybody reads.
    pub(crate) fn words(words: &str) -> Self {
        match words.char_indices().nth(LONGEST) {
            Some((end, _)) => Self::Words(format!("{}…", &words[..end]).into()),
            None => Self::Words(words.into()),
        }
    }
}

impl Owner {
    pub(crate) fn new(kind: Arc<Kind>, now: Timestamp) -> Self {
        Self {
            kind,
            mark: Mark::new(now),
            summary: Summary::default(),
            parent: None,
            told: None,
            children: Box::default(),
            edges: Box::default(),
            revision: 0,
        }
    }

    /// Takes in a plan; whether it differs from the last one. Children that were planned before stay where they are.
    pub(crate) fn plan(
        &mut self,
        planned: &[Planned],
        mut kind: impl FnMut(&ObjectKey) -> Arc<Kind>,
        now: Timestamp,
    ) -> bool {
        let same = planned.len() == self.children.len()
            && planned.iter().zip(&self.children).all(|(planned, child)| child.is(&planned.object));
        let edges = edges(planned);
        if same && edges == self.edges {
            return false;
        }
        let mut before = std::mem::take(&mut self.children).into_vec();
        let child = |planned: &Planned| {
            let known = before.iter().position(|child| child.is(&planned.object));
            let known = known.map(|position| before.swap_remove(position));
            let mut child = known.unwrap_or_else(|| Child {
                kind: kind(&planned.object),
                name: planned.object.name.as_str().into(),
                mark: Mark::new(now),
            });
            // Positions have changed; whoever is to blame will be told anew.
            if let Why::Sibling(_) = child.mark.why {
                child.mark.why = Why::Nothing;
            }
            child
        };
        self.children = planned.iter().map(child).collect();
        self.edges = edges;
        true
    }

    /// The position of a child.
    pub(crate) fn position(&self, object: &ObjectKey) -> Option<usize> {
        self.children.iter().position(|child| child.is(object))
    }
}

impl Child {
    fn is(&self, object: &ObjectKey) -> bool {
        *self.name == *object.name && *self.kind.name == *object.kind && *self.kind.group == *object.group
    }
}

/// Edges between the first 65536 children, which is more than anybody draws.
fn edges(planned: &[Planned]) -> Box<[(u16, u16)]> {
    let edges = planned.iter().enumerate().flat_map(|(node, planned)| {
        let before = planned.after.iter().filter(move |&&before| before < node);
        before.filter_map(move |&before| Some((u16::try_from(before).ok()?, u16::try_from(node).ok()?)))
    });
    edges.collect()
}
