//! Which faults may occur, and how often.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tokio::time::Instant;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mishap {
    /// The connection breaks before the server sees the request.
    DropBefore,
    /// The server performs the request, and the answer is lost.
    DropAfter,
    /// The request takes long.
    Delay,
    /// An update meets another one: 409.
    Conflict,
    /// The server is busy: 429 with `Retry-After`.
    TooManyRequests,
    /// The server fails: 500.
    InternalError,
    /// The server is not there: 503.
    Unavailable,
    /// The server times out: 504, after it performed the request or before.
    Timeout,
    /// A watch ends after an event.
    WatchEnd,
    /// A watch breaks within an event.
    WatchBreak,
    /// An event of a watch arrives twice.
    WatchDuplicate,
    /// An event of a watch, and so all after it, arrives late.
    WatchDelay,
    /// A watch starts too far in the past: 410 as an event.
    WatchExpired,
    /// A read that accepts a cached answer gets an earlier answer to the same request.
    StaleRead,
}

impl Mishap {
    /// All kinds of faults.
    pub const ALL: [Self; 14] = [
        Self::DropBefore,
        Self::DropAfter,
        Self::Delay,
        Self::Conflict,
        Self::TooManyRequests,
        Self::InternalError,
        Self::Unavailable,
        Self::Timeout,
        Self::WatchEnd,
        Self::WatchBreak,
        Self::WatchDuplicate,
        Self::WatchDelay,
        Self::WatchExpired,
        Self::StaleRead,
    ];

    /// The name in logs. The chances depend on it, so it never changes.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::DropBefore => "dropped before commit",
            Self::DropAfter => "dropped after commit",
            Self::Delay => "delayed",
            Self::Conflict => "409 conflict",
            Self::TooManyRequests => "429 too many requests",
            Self::InternalError => "500 internal error",
            Self::Unavailable => "503 unavailable",
            Self::Timeout => "504 timeout",
            Self::WatchEnd => "watch ended",
            Self::WatchBreak => "watch broken",
            Self::WatchDuplicate => "event duplicated",
            Self::WatchDelay => "event delayed",
            Self::WatchExpired => "410 expired",
            Self::StaleRead => "stale read",
        }
    }
}

impl fmt::Display for Mishap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Which faults may occur, how often, and until when.
#[derive(Debug, Clone)]
pub struct Plan {
    rates: BTreeMap<Mishap, f64>,
    pub(super) longest_delay: Duration,
    pub(super) requests: Option<u64>,
    pub(super) instant: Option<Instant>,
}

impl Plan {
    /// No faults.
    pub fn none() -> Self {
        Self { rates: BTreeMap::new(), longest_delay: Duration::from_secs(2), requests: None, instant: None }
    }

    /// All faults, each with this probability.
    pub fn everything(rate: f64) -> Self {
        Mishap::ALL.into_iter().fold(Self::none(), |plan, mishap| plan.with(mishap, rate))
    }

    /// Adds a fault with a probability between 0 and 1: of a request, or of an event of a watch.
    #[must_use]
    pub fn with(mut self, mishap: Mishap, rate: f64) -> Self {
        self.rates.insert(mishap, rate.clamp(0.0, 1.0));
        self
    }

    /// Delays are shorter than this.
    #[must_use]
    pub fn longest_delay(mut self, delay: Duration) -> Self {
        self.longest_delay = delay;
        self
    }

    /// No faults after this many requests.
    #[must_use]
    pub fn until_requests(mut self, requests: u64) -> Self {
        self.requests = Some(requests);
        self
    }

    /// No faults from this instant on.
    #[must_use]
    pub fn until(mut self, instant: Instant) -> Self {
        self.instant = Some(instant);
        self
    }

    pub(super) fn rate(&self, mishap: Mishap) -> f64 {
        self.rates.get(&mishap).copied().unwrap_or_default()
    }
}
