//! The result of a run.

use crate::{
    edge::Edge,
    graph::{Graph, NodeId},
};
use std::{
    iter::{Enumerate, Map},
    ops::Index,
    slice, vec,
};

/// The result of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<E> {
    /// Its step returned [`Step::Ready`](crate::Step::Ready).
    Ready,
    /// Its step returned [`Step::Waiting`](crate::Step::Waiting); the text says what is missing.
    Waiting(String),
    /// Its step returned [`Step::Usable`](crate::Step::Usable); the text says what is missing.
    Usable(String),
    /// Its step returned an error.
    Failed(E),
    /// It never started, because `by` did not become ready, or its step returned
    /// [`Step::Blocked`](crate::Step::Blocked).
    Blocked {
        /// The cause: the first node, in topological order, that this one directly or indirectly needs and that failed
        /// or is waiting itself.
        by: NodeId,
    },
    /// It never started, because the run was cancelled first.
    Cancelled,
}

/// One [`Outcome`] per node, in topological order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<E> {
    outcomes: Vec<Outcome<E>>,
}

impl<E> Report<E> {
    /// Takes one outcome per node, with [`Outcome::Cancelled`] for every node that never started, and changes that to
    /// [`Outcome::Blocked`] where the node was blocked.
    pub(crate) fn new<N>(graph: &Graph<N>, mut outcomes: Vec<Outcome<E>>) -> Self {
        for index in 0..outcomes.len() {
            if matches!(outcomes[index], Outcome::Cancelled)
                && let Some(by) = blocker(graph, &outcomes, NodeId::new(index))
            {
                outcomes[index] = Outcome::Blocked { by };
            }
        }
        Self { outcomes }
    }

    /// Whether every node is ready; true of an empty graph.
    pub fn is_ready(&self) -> bool {
        self.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Ready))
    }

    /// Whether any step returned an error.
    pub fn has_failures(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// The outcome of one node.
    ///
    /// # Panics
    ///
    /// If `id` comes from a larger graph, as indexing a slice would.
    pub fn get(&self, id: NodeId) -> &Outcome<E> {
        &self.outcomes[id.index()]
    }

    /// Every node's outcome, in topological order.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }
}

impl<E> Index<NodeId> for Report<E> {
    type Output = Outcome<E>;

    fn index(&self, id: NodeId) -> &Outcome<E> {
        self.get(id)
    }
}

/// The node that keeps `id` from starting: the first cause among all it needs.
pub(crate) fn blocker<N, E>(graph: &Graph<N>, outcomes: &[Outcome<E>], id: NodeId) -> Option<NodeId> {
    let needed = graph.edges(id).filter(|(_, edges)| edges.contains(Edge::Needs));
    needed.filter_map(|(dependency, _)| culprit(outcomes, dependency)).min()
}

/// The node because of which `id` cannot be used: itself or its blocker; `None` if `id` can be used or has not ended.
pub(crate) fn culprit<E>(outcomes: &[Outcome<E>], id: NodeId) -> Option<NodeId> {
    match outcomes[id.index()] {
        Outcome::Failed(_) | Outcome::Waiting(_) => Some(id),
        Outcome::Blocked { by } => Some(by),
        Outcome::Ready | Outcome::Usable(_) | Outcome::Cancelled => None,
    }
}

/// Turns an index into the id of the node at that index.
type Identify<T> = fn((usize, T)) -> (NodeId, T);

fn identify<T>((index, outcome): (usize, T)) -> (NodeId, T) {
    (NodeId::new(index), outcome)
}

impl<E> IntoIterator for Report<E> {
    type Item = (NodeId, Outcome<E>);
    type IntoIter = Map<Enumerate<vec::IntoIter<Outcome<E>>>, Identify<Outcome<E>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.outcomes.into_iter().enumerate().map(identify)
    }
}

impl<'r, E> IntoIterator for &'r Report<E> {
    type Item = (NodeId, &'r Outcome<E>);
    type IntoIter = Map<Enumerate<slice::Iter<'r, Outcome<E>>>, Identify<&'r Outcome<E>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.outcomes.iter().enumerate().map(identify)
    }
}
