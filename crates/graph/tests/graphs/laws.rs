//! The laws of a run, over random graphs, step behaviours, limits and cancellations.

use crate::dags::{Dag, dags, graph_of};
use graph::{Edge, Outcome, Report, Step};
use proptest::{collection::vec, prelude::*};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    future::poll_fn,
    num::NonZeroUsize,
    pin::pin,
    task::{Context, Poll, Waker},
};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ready,
    Usable,
    Waiting,
    /// By the first of its dependencies, if it has any.
    Blocked,
    Failed,
}

/// What a node does: give way so often, then end.
#[derive(Clone, Debug)]
struct Behaviour {
    pauses: usize,
    end: End,
}

#[derive(Clone, Debug)]
struct Case {
    dag: Dag,
    behaviours: Vec<Behaviour>,
    limit: NonZeroUsize,
    /// The node that cancels the run, and whether it does so before its pauses or after them.
    cancel: Option<(usize, bool)>,
}

const LARGEST: usize = 20;

fn cases() -> impl Strategy<Value = Case> {
    let end = prop_oneof![6 => Just(End::Ready), 1 => Just(End::Usable), 1 => Just(End::Waiting), 1 => Just(End::Blocked), 1 => Just(End::Failed)];
    let behaviour = (0usize..4, end).prop_map(|(pauses, end)| Behaviour { pauses, end });
    let limit = (0usize..5).prop_map(|more| NonZeroUsize::MIN.saturating_add(more));
    (dags(LARGEST), vec(behaviour, LARGEST), limit).prop_map(|(dag, behaviours, limit)| Case {
        dag,
        behaviours,
        limit,
        cancel: None,
    })
}

fn cancelled_cases() -> impl Strategy<Value = Case> {
    (cases(), 0..LARGEST, any::<bool>())
        .prop_map(|(case, node, early)| Case { cancel: Some((node, early)), ..case })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Start(usize),
    End(usize),
    Cancel,
    /// The run has nothing more to do for now.
    Idle,
}

/// Runs a case on this thread and writes down what happens in which order.
fn observe(case: &Case) -> (Vec<Event>, Report<usize>) {
    let graph = graph_of(&case.dag);
    let events = RefCell::new(Vec::new());
    let note = |event| events.borrow_mut().push(event);
    let cancel = CancellationToken::new();
    let cancel_if = |here| {
        if here {
            note(Event::Cancel);
            cancel.cancel();
        }
    };
    let report = {
        let mut run = pin!(graph::run(&graph, case.limit, &cancel, |id, &node| {
            assert_eq!(id.index(), node);
            note(Event::Start(node));
            let (graph, note, cancel_if) = (&graph, &note, &cancel_if);
            async move {
                let Behaviour { pauses, end } = case.behaviours[node];
                cancel_if(case.cancel == Some((node, true)));
                for _ in 0..pauses {
                    pause().await;
                }
                cancel_if(case.cancel == Some((node, false)));
                note(Event::End(node));
                match end {
                    End::Ready => Ok(Step::Ready),
                    End::Usable => Ok(Step::Usable(node.to_string())),
                    End::Waiting => Ok(Step::Waiting(node.to_string())),
                    End::Blocked => Ok(match graph.edges(id).next() {
                        Some((by, _)) => Step::Blocked { by },
                        None => Step::Waiting(node.to_string()),
                    }),
                    End::Failed => Err(node),
                }
            }
        }));
        loop {
            match run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(report) => break report,
                Poll::Pending => note(Event::Idle),
            }
            // A node pauses three times at most.
            assert!(events.borrow().len() < 10 * LARGEST, "the run never ends");
        }
    };
    (events.into_inner(), report)
}

/// Gives way once.
async fn pause() {
    let mut paused = false;
    poll_fn(|context| {
        if paused {
            return Poll::Ready(());
        }
        paused = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The state of a run, replayed from its events.
#[derive(Default)]
struct Replay {
    started: BTreeSet<usize>,
    in_flight: BTreeSet<usize>,
    ended: BTreeSet<usize>,
    ready: BTreeSet<usize>,
    /// Those that are ready, and those that are not but can be used.
    usable: BTreeSet<usize>,
    cancelled: bool,
}

impl Replay {
    fn apply(&mut self, case: &Case, event: Event) {
        match event {
            Event::Start(node) => {
                assert!(self.started.insert(node), "{node} started twice");
                self.in_flight.insert(node);
            }
            Event::End(node) => {
                assert!(self.in_flight.remove(&node), "{node} ended without running");
                self.ended.insert(node);
                let end = case.behaviours[node].end;
                if end == End::Ready {
                    self.ready.insert(node);
                }
                if matches!(end, End::Ready | End::Usable) {
                    self.usable.insert(node);
                }
            }
            Event::Cancel => self.cancelled = true,
            Event::Idle => {}
        }
    }

    /// The nodes whose turn has come. Those that will never run have ended, too, once all before them have.
    fn runnable(&self, case: &Case) -> BTreeSet<usize> {
        let (mut ended, mut runnable) = (self.ended.clone(), BTreeSet::new());
        for (node, after) in case.dag.iter().enumerate() {
            if self.started.contains(&node) || !after.iter().all(|(lower, _)| ended.contains(lower)) {
                continue;
            }
            if needed(after).all(|lower| self.usable.contains(&lower)) {
                runnable.insert(node);
            } else {
                ended.insert(node);
            }
        }
        runnable
    }
}

fn needed(after: &[(usize, Edge)]) -> impl Iterator<Item = usize> {
    after.iter().filter(|(_, edge)| *edge == Edge::Needs).map(|(lower, _)| *lower)
}

/// Why a node is not ready, as far as is known: itself, or the causes of what it is blocked by.
fn causes(case: &Case, started: &BTreeSet<usize>, node: usize) -> BTreeSet<usize> {
    if !started.contains(&node) {
        return culprits(case, started, node);
    }
    match (case.behaviours[node].end, case.dag[node].first()) {
        (End::Ready | End::Usable, _) => BTreeSet::new(),
        (End::Blocked, Some(&(by, _))) => {
            let by = causes(case, started, by).first().copied().unwrap_or(by);
            BTreeSet::from([by])
        }
        (End::Waiting | End::Blocked | End::Failed, _) => BTreeSet::from([node]),
    }
}

/// What keeps a node from being run: the causes why what it needs cannot be used.
fn culprits(case: &Case, started: &BTreeSet<usize>, node: usize) -> BTreeSet<usize> {
    needed(&case.dag[node]).flat_map(|lower| causes(case, started, lower)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_node_runs_at_most_once_after_what_it_comes_after_has_ended_and_what_it_needs_can_be_used(
        case in cancelled_cases(),
    ) {
        let (events, _) = observe(&case);
        let mut replay = Replay::default();
        for event in events {
            if let Event::Start(node) = event {
                prop_assert!(replay.runnable(&case).contains(&node), "{node} is early");
            }
            replay.apply(&case, event);
        }
    }

    #[test]
    fn no_more_than_the_limit_are_in_flight_and_no_room_is_left_unused(case in cases()) {
        let (events, _) = observe(&case);
        let mut replay = Replay::default();
        for event in events {
            replay.apply(&case, event);
            prop_assert!(replay.in_flight.len() <= case.limit.get());
            if event == Event::Idle {
                prop_assert!(replay.in_flight.len() == case.limit.get() || replay.runnable(&case).is_empty());
            }
        }
    }

    #[test]
    fn the_lowest_runnable_node_starts_first(case in cancelled_cases()) {
        let (events, _) = observe(&case);
        let mut replay = Replay::default();
        for event in events {
            if let Event::Start(node) = event {
                prop_assert_eq!(replay.runnable(&case).pop_first(), Some(node));
            }
            replay.apply(&case, event);
        }
    }

    #[test]
    fn the_same_case_runs_the_same_way(case in cancelled_cases()) {
        prop_assert_eq!(observe(&case), observe(&case));
    }

    #[test]
    fn failing_or_waiting_blocks_what_needs_it_and_nothing_else(case in cases()) {
        let (events, report) = observe(&case);
        let mut replay = Replay::default();
        for event in events {
            replay.apply(&case, event);
        }
        prop_assert_eq!(report.iter().len(), case.dag.len());
        for (id, outcome) in &report {
            let node = id.index();
            let culprits = culprits(&case, &replay.started, node);
            match outcome {
                Outcome::Ready => prop_assert_eq!(case.behaviours[node].end, End::Ready),
                Outcome::Usable(reason) => {
                    prop_assert_eq!(case.behaviours[node].end, End::Usable);
                    prop_assert_eq!(reason, &node.to_string());
                }
                Outcome::Waiting(reason) => {
                    prop_assert!(matches!(case.behaviours[node].end, End::Waiting | End::Blocked));
                    prop_assert_eq!(reason, &node.to_string());
                }
                Outcome::Failed(error) => {
                    prop_assert_eq!(case.behaviours[node].end, End::Failed);
                    prop_assert_eq!(*error, node);
                }
                Outcome::Blocked { by } if replay.started.contains(&node) => {
                    prop_assert_eq!(case.behaviours[node].end, End::Blocked);
                    let causes = causes(&case, &replay.started, node);
                    prop_assert_eq!(causes.first(), Some(&by.index()));
                }
                Outcome::Blocked { by } => prop_assert_eq!(culprits.first(), Some(&by.index())),
                Outcome::Cancelled => prop_assert!(false, "{node} was cancelled without a request"),
            }
            // Never started exactly if something it needs cannot be used.
            prop_assert_eq!(!culprits.is_empty(), !replay.started.contains(&node));
        }
        prop_assert_eq!(report.is_ready(), replay.ready.len() == case.dag.len());
        let failed = replay.started.iter().any(|&node| case.behaviours[node].end == End::Failed);
        prop_assert_eq!(report.has_failures(), failed);
    }

    #[test]
    fn after_cancellation_nothing_starts_and_everything_started_ends(case in cancelled_cases()) {
        let (events, report) = observe(&case);
        let mut replay = Replay::default();
        for event in events {
            prop_assert!(!(replay.cancelled && matches!(event, Event::Start(_))), "{event:?} after cancellation");
            replay.apply(&case, event);
        }
        prop_assert!(replay.in_flight.is_empty());
        for (id, outcome) in report {
            let culprits = culprits(&case, &replay.started, id.index());
            match outcome {
                Outcome::Cancelled => {
                    prop_assert!(replay.cancelled && !replay.started.contains(&id.index()) && culprits.is_empty());
                }
                Outcome::Blocked { by } => {
                    let causes = causes(&case, &replay.started, id.index());
                    prop_assert_eq!(causes.first(), Some(&by.index()));
                }
                Outcome::Ready | Outcome::Usable(_) | Outcome::Waiting(_) | Outcome::Failed(_) => {
                    prop_assert!(replay.started.contains(&id.index()));
                }
            }
        }
    }
}
