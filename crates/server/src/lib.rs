//! The HTTP server of every port that the operator opens: health, metrics, the web page and webhooks.
//!
//! Guarantees:
//! - At most [`Limits::connections`] are open. For a further connection, the server closes the one that has waited
//!   longest for a request, and never one whose request it is answering. So a client that sends its request at once,
//!   such as the kubelet, gets an answer even if other clients keep many connections open.
//! - A request has a head of at most [`Limits::head_bytes`] and a body of at most [`Limits::body_bytes`]. It must arrive,
//!   and is answered, within time limits.
//! - A connection uses a bounded amount of memory, whatever its client sends or does not read.

mod connection;
mod open;
#[cfg(test)]
mod tests;

pub use connection::Streaming;

use axum::{Router, serve::Listener};
use open::Open;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Limits for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of open connections.
    pub connections: usize,
    /// How long the first request of a connection may take to arrive.
    pub head: Duration,
    /// How long a request may take from its arrival to the end of its answer, unless that is a [stream](Streaming).
    pub request: Duration,
    /// How long the next request of a connection may take to arrive.
    pub idle: Duration,
    /// The maximum size of the head of a request.
    pub head_bytes: usize,
    /// The maximum size of the body of a request; 0 if requests have none.
    pub body_bytes: usize,
}

impl Limits {
    /// Enough for browsers, which open six connections each, and for Prometheus, which scrapes every half minute.
    pub const DEFAULT: Self = Self {
        connections: 128,
        head: Duration::from_secs(10),
        request: Duration::from_secs(30),
        idle: Duration::from_mins(1),
        head_bytes: 16 * 1024,
        body_bytes: 0,
    };
}

/// How long the server waits for running answers when it stops.
const GRACE: Duration = Duration::from_secs(2);

/// Serves until `stop` is cancelled.
pub async fn serve<L: Listener>(mut listener: L, router: Router, limits: Limits, stop: CancellationToken) {
    let mut open = Open::new(limits.connections);
    while let Some((stream, _)) = stop.run_until_cancelled(listener.accept()).await {
        if open.make_room().await {
            open.spawn(|phases| connection::answer(stream, router.clone(), limits, phases, stop.clone()));
        }
    }
    // Closes the port, so that new clients are refused and do not wait.
    drop(listener);
    let _ = tokio::time::timeout(GRACE, open.ended()).await;
}
