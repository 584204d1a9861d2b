//! Walks a graph, dependencies first.

use crate::{
    graph::{Graph, NodeId},
    report::{Outcome, Report, blocker, culprit},
    runnable::Runnable,
    slots::Slots,
};
use std::{future::poll_fn, num::NonZeroUsize, task::Poll};
use tokio_util::sync::CancellationToken;

/// How many nodes may start before the runner lets the executor do something else.
///
/// Steps that never wait would otherwise keep a thread for the whole graph.
const STARTS_PER_POLL: usize = 128;

/// What running one node established.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Done: what comes after this node may start.
    Ready,
    /// Done as far as we can, but the world has not caught up; says what is missing, for people.
    ///
    /// Whoever notices that it has caught up runs the graph again.
    Waiting(String),
    /// Not done, or only in part, because a dependency has not come far enough, see [`Edge`](crate::Edge).
    Blocked {
        /// The dependency.
        by: NodeId,
    },
}

/// Runs `step` for every node whose turn has come, at most `limit` at a time.
///
/// * A node is run at most once, after all it comes after have ended, and only if everything it
///   [needs](crate::Edge::Needs) returned [`Step::Ready`].
/// * Of the nodes that may start, the one that was added first does; none is held back while there is room.
/// * A node that fails or waits blocks what directly or indirectly needs it, and nothing else.
/// * After `cancel` no node starts; those in flight run to their end.
/// * Nothing is spawned: steps run inside this future, and dropping it drops them at their last await. It gives
///   way to the executor even if no step ever does.
/// * It is `Send` if `step`, its futures and `E` are and `N` is `Sync`.
/// * Memory is allocated per run and per node *in flight*, not per node; a large `limit` costs nothing by itself.
pub async fn run<'a, N, E, Fut>(
    graph: &'a Graph<N>,
    limit: NonZeroUsize,
    cancel: &CancellationToken,
    step: impl Fn(NodeId, &'a N) -> Fut,
) -> Report<E>
where
    Fut: Future<Output = Result<Step, E>>,
{
    let mut progress = Progress::of(graph);
    let mut slots = Slots::new();
    poll_fn(|context| {
        slots.poll_woken(context.waker(), |id, result| progress.finish(id, result));
        for _ in 0..STARTS_PER_POLL {
            let may_start = slots.in_flight() < limit.get() && !cancel.is_cancelled();
            let Some(id) = may_start.then(|| progress.runnable.pop()).flatten() else {
                return if slots.in_flight() == 0 { Poll::Ready(()) } else { Poll::Pending };
            };
            if let Some(result) = slots.start(id, step(id, graph.get(id))) {
                progress.finish(id, result);
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    Report::of(graph, progress.outcomes)
}

/// How far a run has come.
struct Progress<'a, N, E> {
    graph: &'a Graph<N>,
    /// Per node, how many of its dependencies have not ended.
    pending: Vec<usize>,
    runnable: Runnable,
    /// [`Outcome::Cancelled`] stands for nodes that have not ended, until [`Report::of`] sorts them out.
    outcomes: Vec<Outcome<E>>,
    /// Nodes whose dependents have not been told that they ended; empty between calls, kept for its memory.
    ended: Vec<NodeId>,
}

impl<'a, N, E> Progress<'a, N, E> {
    fn of(graph: &'a Graph<N>) -> Self {
        let mut runnable = Runnable::new(graph.len());
        let pending = graph
            .iter()
            .map(|(id, _, dependencies)| {
                if dependencies.is_empty() {
                    runnable.insert(id);
                }
                dependencies.len()
            })
            .collect();
        let outcomes = graph.iter().map(|_| Outcome::Cancelled).collect();
        Self { graph, pending, runnable, outcomes, ended: Vec::new() }
    }

    fn finish(&mut self, id: NodeId, result: Result<Step, E>) {
        self.outcomes[id.index()] = match result {
            Ok(Step::Ready) => Outcome::Ready,
            Ok(Step::Waiting(reason)) => Outcome::Waiting(reason),
            Ok(Step::Blocked { by }) => Outcome::Blocked { by: culprit(&self.outcomes, by).unwrap_or(by) },
            Err(error) => Outcome::Failed(error),
        };
        self.ended.push(id);
        while let Some(ended) = self.ended.pop() {
            for &dependent in self.graph.dependents(ended) {
                let pending = &mut self.pending[dependent.index()];
                *pending -= 1;
                if *pending > 0 {
                    continue;
                }
                match blocker(self.graph, &self.outcomes, dependent) {
                    Some(by) => {
                        self.outcomes[dependent.index()] = Outcome::Blocked { by };
                        self.ended.push(dependent);
                    }
                    None => self.runnable.insert(dependent),
                }
            }
        }
    }
}
