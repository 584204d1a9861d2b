//! What the operator costs: requests, CPU time, memory and size, for docs/cost.md.
//!
//! ```text
//! cargo bench -p cli --bench costs                  everything but 1,000 stacks; projects take 15 minutes
//! cargo bench -p cli --bench costs -- harbors       one part: size, harbors, sample, projects or stacks
//! cargo bench -p cli --bench costs -- 50 1000       these numbers of whole stacks
//! ```
//!
//! The operator is a process of its own: the program `$OPERATOR`, or this build, which is not optimized for size. Figures
//! for docs/cost.md are of the image's binary. With `KUBEBUILDER_ASSETS` the server is a real kube-apiserver, otherwise the
//! API server in memory. Leases are not counted. Requests that open a watch, which includes streamed lists, have a column
//! of their own. With `TRACE` the benchmark prints every request.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "a benchmark fails by panicking")]

mod counted;
mod harbors;
mod manifests;
mod operator;
mod projects;
mod sample;
mod server;
mod size;
mod stacks;

use counted::Counts;
use std::time::Duration;
use tokio::time::sleep;

/// The longest time for one measurement.
const TIMEOUT: Duration = Duration::from_mins(40);
/// The operator is idle after it has sent nothing for this long.
const IDLE: Duration = Duration::from_secs(4);

#[tokio::main]
async fn main() {
    // Cargo adds a flag.
    let arguments: Vec<_> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let asked = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    if asked("size") {
        size::print();
    }
    if asked("harbors") {
        harbors::measure(&[1, 50]).await;
    }
    if asked("sample") {
        sample::measure().await;
    }
    if asked("projects") {
        projects::measure(1000).await;
    }
    if asked("stacks") || !numbers.is_empty() {
        stacks::measure(if numbers.is_empty() { &[1, 50, 100] } else { &numbers }).await;
    }
}

/// Waits until the operator is idle.
async fn until_idle(counts: &Counts) {
    loop {
        let before = counts.total();
        sleep(IDLE).await;
        if counts.total() == before {
            return;
        }
    }
}
