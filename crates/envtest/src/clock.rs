//! A clock for tests with virtual time.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test fails by panicking")]

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The time since the first call in this thread, counted from the Unix epoch: it passes as tokio's clock does, and so stands
/// still in a test with paused time unless the test waits.
pub fn clock() -> Timestamp {
    thread_local!(static START: Instant = Instant::now());
    let passed = START.with(Instant::elapsed);
    Timestamp::UNIX_EPOCH + SignedDuration::try_from(passed).unwrap()
}
