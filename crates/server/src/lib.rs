//! The HTTP server of every port the operator opens: health, metrics and the web page.
//!
//! What it guarantees:
//! - Never more than [`Limits::connections`] are open. Where one more comes, the connection that has waited longest for
//!   a request is closed; a connection whose request is being answered is not. So a client that sends its request at
//!   once, such as the kubelet, is answered however many connections others keep open.
//! - A request has a head of at most [`Limits::head_bytes`] and no body, and it arrives and is answered in time.
//! - A connection costs a bounded amount of memory, whatever its client sends or does not read.

mod connection;
mod open;
#[cfg(test)]
mod tests;

pub use connection::Streaming;

use axum::{Router, serve::Listener};
use open::Open;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What clients may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most connections at once.
    pub connections: usize,
    /// How long the first request of a connection may take to arrive.
    pub head: Duration,
    /// How long a request may take from its arrival to the end of its answer, unless that is a [stream](Streaming).
    pub request: Duration,
    /// How long the next request of a connection may take to arrive.
    pub idle: Duration,
    /// Most bytes of a request.
    pub head_bytes: usize,
}

impl Limits {
    /// Enough for browsers, which open six connections each, and for Prometheus, which asks every half minute.
    pub const DEFAULT: Self = Self {
        connections: 128,
        head: Duration::from_secs(10),
        request: Duration::from_secs(30),
        idle: Duration::from_mins(1),
        head_bytes: 16 * 1024,
    };
}

/// How long answers under way may take when the server stops.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves until `stop` is cancelled.
pub async fn serve<L: Listener>(mut listener: L, router: Router, limits: Limits, stop: CancellationToken) {
    let mut open = Open::new(limits.connections);
    while let Some((stream, _)) = stop.run_until_cancelled(listener.accept()).await {
        if open.make_room().await {
            open.spawn(|phases| connection::answer(stream, router.clone(), limits, phases, stop.clone()));
        }
    }
    // Nothing is accepted any more; a client that tries is refused rather than kept waiting.
    drop(listener);
    let _ = tokio::time::timeout(FAREWELL, open.ended()).await;
}
