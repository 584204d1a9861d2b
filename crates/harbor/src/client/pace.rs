//! Bounds the requests to one Harbor: how many at once, and how many per second.

use super::Limits;
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep_until},
};

/// Hands out turns, in the order in which they are asked for.
#[derive(Debug)]
pub(super) struct Pace {
    places: Semaphore,
    interval: Duration,
    /// When the next request may start.
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            places: Semaphore::new(limits.at_once.max(1)),
            interval: limits.interval,
            next: Mutex::default(),
        }
    }

    /// Waits for a turn, which lasts until the answer is dropped. `None` would mean that the semaphore is closed, which
    /// it never is.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let place = self.places.acquire().await.ok();
        sleep_until(self.reserve(Instant::now())).await;
        place
    }

    fn reserve(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let start = next.map_or(now, |next| next.max(now));
        *next = Some(start + self.interval);
        start
    }
}
