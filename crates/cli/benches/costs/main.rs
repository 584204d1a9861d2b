//! What the operator costs: requests, CPU and memory, for docs/cost.md.
//!
//! `cargo bench -p cli --bench costs` measures 1 and 50 minimal Harbors, a restart with them, and 1, 10 and 100 whole stacks;
//! `… -- 10 500` measures other numbers of stacks only. The operator is a process of its own: this build, or the program
//! `$OPERATOR`. With `KUBEBUILDER_ASSETS` the server is a real one, otherwise the API server in memory.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "a benchmark fails by panicking")]

mod counted;
mod harbors;
mod operator;
mod server;
mod stacks;

use counted::Counts;
use std::time::Duration;
use tokio::time::sleep;

/// How long everything together may take.
const PATIENCE: Duration = Duration::from_mins(20);
/// How long nothing must have been sent for the operator to be idle.
const REST: Duration = Duration::from_secs(4);

#[tokio::main]
async fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if asked.is_empty() {
        harbors::measure(&[1, 50]).await;
        println!();
    }
    stacks::measure(if asked.is_empty() { &[1, 10, 100] } else { &asked }).await;
}

/// Waits until nothing is sent any more.
async fn rest(counts: &Counts) {
    loop {
        let before = counts.total();
        sleep(REST).await;
        if counts.total() == before {
            return;
        }
    }
}
