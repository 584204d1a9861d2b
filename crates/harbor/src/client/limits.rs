//! How much a client asks of a Harbor, and how long it waits.

use std::time::Duration;

/// Limits that all clones of a client share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of requests under way.
    pub at_once: usize,
    /// The shortest time between the starts of two requests.
    pub interval: Duration,
    /// How long a connection may take, including the name and TLS.
    pub connect: Duration,
    /// How long a request may take until the end of its answer.
    pub request: Duration,
    /// The same for requests for which Harbor contacts a registry or a scanner.
    pub live_check: Duration,
    /// The maximum size of an answer.
    pub answer_bytes: usize,
}

impl Limits {
    /// Four requests at once and twenty per second.
    ///
    /// Every request leaves a session in Redis for an hour, and Harbor 2.15 computes 130 ms for the password of each.
    pub const DEFAULT: Self = Self {
        at_once: 4,
        interval: Duration::from_millis(50),
        connect: Duration::from_secs(5),
        request: Duration::from_secs(30),
        live_check: Duration::from_secs(90),
        answer_bytes: 16 * 1024 * 1024,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
