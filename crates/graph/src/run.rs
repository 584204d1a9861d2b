//! Runs a graph: dependencies first, several nodes at a time.

use crate::{
    graph::{Graph, NodeId},
    report::{Outcome, Report, blocker, culprit},
};
use futures::{FutureExt, StreamExt, stream::FuturesUnordered};
use std::{cmp::Reverse, collections::BinaryHeap, num::NonZeroUsize};
use tokio_util::sync::CancellationToken;

/// How many steps may end before the runner yields to the executor.
///
/// Steps that never wait would otherwise keep a thread for the whole graph.
const STEPS_PER_YIELD: usize = 128;

/// The result of a node's step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The node is done: its dependents may start.
    Ready,
    /// The step has done its part, but the node is not ready yet; the text tells users what is missing.
    ///
    /// The caller runs the graph again once that has changed.
    Waiting(String),
    /// The node is not ready, but has everything that its dependents read, so they may start; the text tells users what
    /// is missing.
    Usable(String),
    /// The step left out all or a part of its work because of a dependency's state, see [`Edge`](crate::Edge).
    Blocked {
        /// The dependency.
        by: NodeId,
    },
}

/// Runs `step` for every node whose dependencies allow it, at most `limit` at a time.
///
/// * A node runs at most once, after all its dependencies have ended, and only if everything it
///   [needs](crate::Edge::Needs) returned [`Step::Ready`] or [`Step::Usable`].
/// * Of the nodes that may start, the one that was added first starts first. No node is held back while fewer than
///   `limit` run.
/// * A node that fails or waits blocks the nodes that directly or indirectly need it, and no others.
/// * After `cancel` no node starts; running steps run to their end.
/// * Nothing is spawned: steps run inside this future, and dropping it drops them at their last await. The future
///   yields to the executor even if no step ever does.
/// * The future is `Send` if `step`, its futures and `E` are and `N` is `Sync`.
pub async fn run<'a, N, E, Fut>(
    graph: &'a Graph<N>,
    limit: NonZeroUsize,
    cancel: &CancellationToken,
    step: impl Fn(NodeId, &'a N) -> Fut,
) -> Report<E>
where
    Fut: Future<Output = Result<Step, E>>,
{
    let mut progress = Progress::new(graph);
    let mut running = FuturesUnordered::new();
    for ended in 1usize.. {
        while running.len() < limit.get()
            && !cancel.is_cancelled()
            && let Some(id) = progress.pop()
        {
            running.push(step(id, graph.get(id)).map(move |result| (id, result)));
        }
        let Some((id, result)) = running.next().await else { break };
        let outcome = progress.outcome(result);
        progress.end(id, outcome);
        if ended.is_multiple_of(STEPS_PER_YIELD) {
            tokio::task::yield_now().await;
        }
    }
    Report::new(graph, progress.outcomes)
}

/// The state of a run.
struct Progress<'a, N, E> {
    graph: &'a Graph<N>,
    /// Per node, how many of its dependencies have not ended.
    pending: Vec<usize>,
    /// The nodes whose dependencies have all ended and that have not started, lowest first.
    due: BinaryHeap<Reverse<NodeId>>,
    /// [`Outcome::Cancelled`] stands for nodes that have not ended; [`Report::new`] finds the blocked ones among them.
    outcomes: Vec<Outcome<E>>,
}

impl<'a, N, E> Progress<'a, N, E> {
    fn new(graph: &'a Graph<N>) -> Self {
        let roots = graph.iter().filter(|(_, _, dependencies)| dependencies.is_empty());
        Self {
            graph,
            pending: graph.iter().map(|(_, _, dependencies)| dependencies.len()).collect(),
            due: roots.map(|(id, ..)| Reverse(id)).collect(),
            outcomes: graph.iter().map(|_| Outcome::Cancelled).collect(),
        }
    }

    /// Removes and returns the lowest node that may start.
    ///
    /// A blocked node ends here. That can only make higher nodes due, so the order stays right.
    fn pop(&mut self) -> Option<NodeId> {
        while let Some(Reverse(id)) = self.due.pop() {
            match blocker(self.graph, &self.outcomes, id) {
                Some(by) => self.end(id, Outcome::Blocked { by }),
                None => return Some(id),
            }
        }
        None
    }

    fn outcome(&self, result: Result<Step, E>) -> Outcome<E> {
        match result {
            Ok(Step::Ready) => Outcome::Ready,
            Ok(Step::Waiting(reason)) => Outcome::Waiting(reason),
            Ok(Step::Usable(reason)) => Outcome::Usable(reason),
            Ok(Step::Blocked { by }) => Outcome::Blocked { by: culprit(&self.outcomes, by).unwrap_or(by) },
            Err(error) => Outcome::Failed(error),
        }
    }

    fn end(&mut self, id: NodeId, outcome: Outcome<E>) {
        self.outcomes[id.index()] = outcome;
        for &dependent in self.graph.dependents(id) {
            let pending = &mut self.pending[dependent.index()];
            *pending -= 1;
            if *pending == 0 {
                self.due.push(Reverse(dependent));
            }
        }
    }
}
