//! What a run promises to the executor it runs on.

use graph::{Graph, NodeId, Outcome, Step};
use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    future::{pending, poll_fn, ready},
    num::NonZeroUsize,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

const UNLIMITED: NonZeroUsize = NonZeroUsize::MAX;

/// Every node waits for the one before.
fn chain(nodes: usize) -> Graph<usize> {
    let Ok(graph) = Graph::build(|g| {
        let mut last = None;
        for node in 0..nodes {
            last = Some(g.add::<usize>(node, last));
        }
        Ok::<_, Infallible>(())
    });
    graph
}

/// Every node waits for the first.
fn fan(nodes: usize) -> Graph<usize> {
    let Ok(graph) = Graph::build(|g| {
        let mut first = None;
        for node in 0..nodes {
            let added = g.add::<usize>(node, first);
            first = first.or(Some(added));
        }
        Ok::<_, Infallible>(())
    });
    graph
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[tokio::test]
async fn a_run_can_be_spawned() {
    let spawned = tokio::spawn(is_send(async {
        let graph = chain(3);
        let cancel = CancellationToken::new();
        let step = async |_: NodeId, _: &usize| {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(Step::Ready)
        };
        is_send(graph::run(&graph, UNLIMITED, &cancel, step)).await
    }));
    assert!(spawned.await.unwrap().is_ready());
}

#[tokio::test]
async fn a_node_that_can_be_used_does_not_block_its_dependents() {
    let step = async |_: NodeId, node: &usize| {
        Ok::<_, Infallible>(match node {
            0 => Step::Usable("not renewed".into()),
            1 => Step::Waiting("later".into()),
            _ => Step::Ready,
        })
    };
    let report = graph::run(&chain(3), UNLIMITED, &CancellationToken::new(), step).await;
    let outcomes: Vec<_> = report.into_iter().collect();
    let [first, second, third] = &outcomes[..] else { panic!("three nodes") };
    assert_eq!(first.1, Outcome::Usable("not renewed".into()));
    assert_eq!(second.1, Outcome::Waiting("later".into()));
    assert_eq!(third.1, Outcome::Blocked { by: second.0 });
}

#[tokio::test]
async fn an_empty_graph_is_ready() {
    let graph = Graph::<()>::build(|_| Ok::<_, Infallible>(())).unwrap();
    let step = |_: NodeId, (): &()| ready(Err("there is nothing to run"));
    let report = graph::run(&graph, UNLIMITED, &CancellationToken::new(), step).await;
    assert!(report.is_ready() && !report.has_failures());
}

#[tokio::test]
async fn a_run_cancelled_beforehand_starts_nothing() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let graph = fan(3);
    let report = graph::run(&graph, UNLIMITED, &cancel, |_, _| ready(Err::<Step, _>("started"))).await;
    assert!(report.into_iter().all(|(_, outcome)| outcome == Outcome::Cancelled));
}

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn steps_that_never_wait_do_not_keep_the_thread() {
    let graph = chain(1000);
    let cancel = CancellationToken::new();
    let mut run =
        pin!(graph::run(&graph, UNLIMITED, &cancel, |_, _| ready(Ok::<_, Infallible>(Step::Ready))));
    let count = Arc::new(Count(0.into()));
    let waker = Waker::from(count.clone());
    let mut polls = 1;
    while run.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        assert_eq!(count.0.load(Ordering::Relaxed), polls, "gave way without asking to return");
        polls += 1;
    }
    assert!((4..=100).contains(&polls), "{polls} polls");
}

#[test]
fn a_step_in_flight_is_left_alone_until_it_is_woken() {
    let polls = Cell::new(0);
    let graph = fan(1);
    let cancel = CancellationToken::new();
    let mut run = pin!(graph::run(&graph, UNLIMITED, &cancel, async |_, _| {
        poll_fn(|_| {
            polls.set(polls.get() + 1);
            Poll::<()>::Pending
        })
        .await;
        Ok::<_, Infallible>(Step::Ready)
    }));
    for _ in 0..5 {
        assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert_eq!(polls.get(), 1);
}

#[test]
fn a_step_woken_many_times_is_polled_once() {
    let (polls, waker) = (Cell::new(0), RefCell::new(None));
    let graph = fan(1);
    let cancel = CancellationToken::new();
    let mut run = pin!(graph::run(&graph, UNLIMITED, &cancel, async |_, _| {
        poll_fn(|context| {
            polls.set(polls.get() + 1);
            waker.replace(Some(context.waker().clone()));
            Poll::<()>::Pending
        })
        .await;
        Ok::<_, Infallible>(Step::Ready)
    }));
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    for _ in 0..5 {
        waker.borrow().iter().for_each(Waker::wake_by_ref);
    }
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(polls.get(), 2);
}

#[test]
fn a_step_that_ended_is_gone_and_its_old_waker_wakes_nobody() {
    let (polls, waker, witness) = (Cell::new(0), RefCell::new(None), Arc::new(()));
    let graph = fan(3);
    let cancel = CancellationToken::new();
    let mut run = pin!(graph::run(&graph, UNLIMITED, &cancel, |_, &node| {
        let (polls, waker, witness) = (&polls, &waker, (node == 2).then(|| witness.clone()));
        poll_fn(move |context| {
            if witness.is_some() {
                polls.set(polls.get() + 1);
                waker.replace(Some(context.waker().clone()));
            }
            // The node in between keeps the run going.
            if node == 1 { Poll::Pending } else { Poll::Ready(Ok::<_, Infallible>(Step::Ready)) }
        })
    }));
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(Arc::strong_count(&witness), 1);
    waker.take().into_iter().for_each(Waker::wake);
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(polls.get(), 1);
}

#[test]
fn dropping_a_run_drops_what_is_in_flight() {
    let witness = Arc::new(());
    let graph = fan(5);
    let cancel = CancellationToken::new();
    {
        let mut run = pin!(graph::run(&graph, UNLIMITED, &cancel, |_, &node| {
            let witness = witness.clone();
            async move {
                if node > 0 {
                    pending::<()>().await;
                }
                drop(witness);
                Ok::<_, Infallible>(Step::Ready)
            }
        }));
        assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(Arc::strong_count(&witness), 5);
    }
    assert_eq!(Arc::strong_count(&witness), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_wake_from_another_thread_is_lost() {
    let rounds = async {
        for round in 0..200 {
            let graph = if round % 2 == 0 { fan(100) } else { chain(20) };
            let limit = NonZeroUsize::new(1 + round % 40).unwrap();
            let report = graph::run(&graph, limit, &CancellationToken::new(), async |_, &node| {
                let (send, receive) = tokio::sync::oneshot::channel();
                tokio::spawn(async move {
                    if node % 3 == 0 {
                        tokio::task::yield_now().await;
                    }
                    send.send(())
                });
                receive.await.map(|()| Step::Ready)
            })
            .await;
            assert!(report.is_ready());
        }
    };
    tokio::time::timeout(Duration::from_mins(1), rounds).await.expect("a run waits for a wake that was lost");
}
