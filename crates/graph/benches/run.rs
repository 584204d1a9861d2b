//! What building and running a graph costs per node, when the steps themselves cost nothing.
//!
//! `cargo bench -p graph` prints divan's figures per graph, then a table of what they mean per node.

#[path = "run/per_node.rs"]
mod per_node;

use divan::{AllocProfiler, Bencher, black_box, counter::ItemsCount};
use graph::{Graph, Report, Step};
use std::{
    convert::Infallible,
    future::ready,
    num::NonZeroUsize,
    pin::pin,
    task::{Context, Poll, Waker},
};
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const LIMIT: NonZeroUsize = NonZeroUsize::new(16).expect("sixteen is not zero");

fn main() -> std::process::ExitCode {
    per_node::main(divan::main)
}

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

/// Polls a future in a loop, so that no executor is measured.
fn finish<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}

fn run(graph: &Graph<usize>, cancel: &CancellationToken) -> Report<Infallible> {
    finish(graph::run(graph, LIMIT, cancel, |_, node| {
        black_box(node);
        ready(Ok(Step::Ready))
    }))
}

/// Runs steps that give way once, so that each is parked and woken.
fn run_pausing(graph: &Graph<usize>, cancel: &CancellationToken) -> Report<Infallible> {
    finish(graph::run(graph, LIMIT, cancel, |_, node| {
        black_box(node);
        let mut paused = false;
        std::future::poll_fn(move |context| {
            if paused {
                return Poll::Ready(Ok(Step::Ready));
            }
            paused = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }))
}

macro_rules! benches {
    ($shape:ident) => {
        mod $shape {
            use super::*;

            #[divan::bench(args = SIZES, sample_count = 100, sample_size = 20)]
            fn build(bencher: Bencher<'_, '_>, nodes: usize) {
                bencher.counter(ItemsCount::new(nodes)).bench(|| super::$shape(black_box(nodes)));
            }

            #[divan::bench(args = SIZES, sample_count = 100, sample_size = 20)]
            fn run(bencher: Bencher<'_, '_>, nodes: usize) {
                let (graph, cancel) = (super::$shape(nodes), CancellationToken::new());
                bencher.counter(ItemsCount::new(nodes)).bench(|| super::run(&graph, &cancel));
            }

            #[divan::bench(args = SIZES, sample_count = 100, sample_size = 20)]
            fn run_pausing(bencher: Bencher<'_, '_>, nodes: usize) {
                let (graph, cancel) = (super::$shape(nodes), CancellationToken::new());
                bencher.counter(ItemsCount::new(nodes)).bench(|| super::run_pausing(&graph, &cancel));
            }

            #[divan::bench(args = SIZES, sample_count = 100, sample_size = 20)]
            fn whole(bencher: Bencher<'_, '_>, nodes: usize) {
                let cancel = CancellationToken::new();
                bencher
                    .counter(ItemsCount::new(nodes))
                    .bench(|| super::run(&super::$shape(black_box(nodes)), &cancel));
            }
        }
    };
}

benches!(chain);
benches!(fan);
