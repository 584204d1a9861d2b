//! A scene that changes under the eyes of whoever shows it.

use crate::scene::Scene;
use runtime::{Observer, Progress};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// Whether it matters how long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    #[cfg(feature = "sandbox")]
    Shown,
    Hidden,
}

/// The scene, since when it runs, and who wants to know that it changed.
#[derive(Debug)]
pub struct Live {
    began: Instant,
    times: Times,
    scene: Mutex<Scene>,
    changed: watch::Sender<()>,
}

impl Live {
    /// An empty scene that begins now.
    #[cfg(feature = "sandbox")]
    pub fn begin() -> Self {
        Self::with(Times::Shown)
    }

    /// The same where nobody knows since when anything is as it is.
    pub fn timeless() -> Self {
        Self::with(Times::Hidden)
    }

    fn with(times: Times) -> Self {
        Self { began: Instant::now(), times, scene: Mutex::default(), changed: watch::Sender::new(()) }
    }

    /// The time to be shown, if any is.
    pub fn shown_time(&self) -> Option<Duration> {
        match self.times {
            #[cfg(feature = "sandbox")]
            Times::Shown => Some(self.now()),
            Times::Hidden => None,
        }
    }

    /// The time since it began.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Looks at the scene.
    pub fn look<T>(&self, look: impl FnOnce(&mut Scene) -> T) -> T {
        look(&mut self.scene())
    }

    /// Changes the scene.
    pub fn change(&self, change: impl FnOnce(&mut Scene, Duration)) {
        change(&mut self.scene(), self.now());
        self.changed.send_replace(());
    }

    /// Tells of changes from now on.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Waits until the scene meets a condition.
    #[cfg(feature = "sandbox")]
    pub async fn until(&self, met: impl Fn(&Scene) -> bool) {
        let mut changes = self.changes();
        while !met(&self.scene()) {
            // The sender lives as long as `self`.
            let _ = changes.changed().await;
        }
    }

    fn scene(&self) -> MutexGuard<'_, Scene> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Live {
    fn observe(&self, progress: Progress) {
        self.change(|scene, now| scene.observe(progress, now));
    }
}
