//! A tree that changes while it is drawn.

use super::{Details, Node, Tree, details, lines::Lines};
use jiff::Timestamp;
use pods::Report;
use progress::{Observer, Progress, TreeChange};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;
#[cfg(feature = "sandbox")]
use {plan::ObjectKey, plan::Readiness};

/// The tree, when it began, and a channel that announces changes.
#[derive(Debug)]
pub struct Live {
    began: Instant,
    /// Whether drawings show how long things take.
    shows_times: bool,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    tree: Tree,
    details: Details,
    lines: Lines,
}

impl Live {
    /// An empty tree that begins now.
    #[cfg(feature = "sandbox")]
    pub fn begin() -> Self {
        Self { shows_times: true, ..Self::timeless() }
    }

    /// An empty tree of which it is unknown since when objects are in their states.
    pub fn timeless() -> Self {
        Self {
            began: Instant::now(),
            shows_times: false,
            state: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    /// The time to show, if any.
    pub fn shown_time(&self) -> Option<Duration> {
        self.shows_times.then(|| self.now())
    }

    /// The time since it began.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Reads the tree.
    pub fn read<R>(&self, read: impl FnOnce(&Tree) -> R) -> R {
        read(&self.state().tree)
    }

    /// The objects, and the lines about those that are workloads.
    pub fn drawn(&self) -> (Vec<Node>, Details) {
        let state = self.state();
        (state.tree.roots(), state.details.clone())
    }

    /// Takes in what pods report now.
    pub fn read_pods(&self, report: &Report, now: Timestamp) {
        let at = self.now();
        let mut state = self.state();
        state.details = details(report, now);
        state.lines.add_pods(report, at);
        drop(state);
        self.changed.send_replace(());
    }

    /// The lines since the last call.
    pub fn take_lines(&self) -> String {
        self.state().lines.take()
    }

    /// Announces changes from now on.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Adds an object that the user applied and waits for.
    #[cfg(feature = "sandbox")]
    pub fn expect(&self, key: &ObjectKey) {
        self.change(|tree, now| {
            tree.expect(key, now);
            Vec::new()
        });
    }

    /// Takes in the status of such an object.
    #[cfg(feature = "sandbox")]
    pub fn read_status(&self, key: &ObjectKey, readiness: &Readiness) {
        self.change(|tree, now| tree.read_status(key, readiness, now));
    }

    /// Waits until the tree meets a condition.
    #[cfg(feature = "sandbox")]
    pub async fn until(&self, met: impl Fn(&Tree) -> bool) {
        let mut changes = self.changes();
        while !self.read(&met) {
            // The sender lives as long as `self`.
            let _ = changes.changed().await;
        }
    }

    fn change(&self, change: impl FnOnce(&mut Tree, Duration) -> Vec<TreeChange>) {
        let now = self.now();
        let mut state = self.state();
        let changes = change(&mut state.tree, now);
        for change in &changes {
            state.lines.add(change, now);
        }
        drop(state);
        self.changed.send_replace(());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Live {
    fn observe(&self, progress: Progress) {
        self.change(|tree, now| tree.observe(&progress, now));
    }
}
