//! A scene that changes under the eyes of whoever shows it.

use super::scene::Scene;
use runtime::{Observer, Progress};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// The scene, since when it runs, and who wants to know that it changed.
#[derive(Debug)]
pub struct Live {
    began: Instant,
    scene: Mutex<Scene>,
    changed: watch::Sender<()>,
}

impl Live {
    /// An empty scene that begins now.
    pub fn begin() -> Self {
        Self { began: Instant::now(), scene: Mutex::default(), changed: watch::Sender::new(()) }
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
