//! The time, and how answers write it.

use jiff::{Timestamp, ToSpan as _};
use tokio::time::Instant;

/// Where a server gets the time from.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// Follows tokio's clock from a given time on: in a test with paused time an hour passes for stored times, too.
#[derive(Debug, Clone, Copy)]
pub struct TokioClock {
    start: Instant,
    base: Timestamp,
}

impl TokioClock {
    /// A clock that shows this time now.
    pub fn starting_at(base: Timestamp) -> Self {
        Self { start: Instant::now(), base }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX);
        self.base.checked_add(passed.nanoseconds()).unwrap_or(Timestamp::MAX)
    }
}

/// What Harbor writes for a time that was never set.
pub(crate) const NEVER: &str = "0001-01-01T00:00:00.000Z";

/// A time as most answers write it: with milliseconds.
pub(crate) fn date_time(time: impl Into<Option<Timestamp>>) -> String {
    time.into().map_or_else(|| NEVER.to_owned(), |time| time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}

/// A time as a few answers write it: whole seconds, without a fraction.
pub(crate) fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A time as jobs report it: whole seconds, but written with a fraction.
pub(crate) fn whole_seconds(time: impl Into<Option<Timestamp>>) -> String {
    let whole = |time: Timestamp| Timestamp::from_second(time.as_second()).unwrap_or(time);
    date_time(time.into().map(whole))
}
