//! The time, following the timers of the runtime.

use jiff::{Timestamp, ToSpan as _};
use tokio::time::Instant;

/// Follows tokio's clock, so that in a test with paused time an hour passes for stored timestamps, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    base: Timestamp,
}

impl Clock {
    /// A clock that shows this time now.
    pub fn starting_at(base: Timestamp) -> Self {
        Self { start: Instant::now(), base }
    }

    pub fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX);
        self.base.checked_add(passed.nanoseconds()).unwrap_or(Timestamp::MAX)
    }

    /// As `metadata.creationTimestamp` shows it: whole seconds.
    pub fn stamp(&self) -> String {
        self.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
