//! Watches whose events are late, doubled or cut off. Their order does not change.

use super::{Chances, Mishap, Question, dropped, is_success};
use crate::body::Body;
use crate::failure::Failure;
use bytes::{Bytes, BytesMut};
use futures::stream::{BoxStream, unfold};
use futures::{StreamExt, stream};
use http::{Response, StatusCode};
use serde_json::json;
use std::collections::VecDeque;
use tower::BoxError;

/// The watch, with its faults.
pub(super) fn disturbed(response: Response<Body>, question: &Question, chances: Chances) -> Response<Body> {
    if !is_success(&response) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let start = question.parameter("resourceVersion").and_then(|version| version.parse::<u64>().ok());
    let body = match start.filter(|&start| start > 0) {
        Some(start) if chances.strikes(Mishap::WatchExpired, None) => Body::full(expired(start)),
        _ => Body::stream(events(body.into_pieces(), chances)),
    };
    Response::from_parts(parts, body)
}

/// The event of a server that no longer has the requested revision.
fn expired(start: u64) -> String {
    let message = format!("too old resource version: {start} ({})", start.saturating_add(1));
    let failure = Failure::new(StatusCode::GONE, "Expired", message);
    format!("{}\n", json!({ "type": "ERROR", "object": failure.status() }))
}

struct Watch {
    pieces: BoxStream<'static, Result<Bytes, BoxError>>,
    chances: Chances,
    received: BytesMut,
    /// Events that are decided and not yet sent.
    decided: VecDeque<Result<Bytes, BoxError>>,
    events: u64,
    ended: bool,
}

fn events(
    pieces: BoxStream<'static, Result<Bytes, BoxError>>,
    chances: Chances,
) -> impl stream::Stream<Item = Result<Bytes, BoxError>> + Send {
    let watch = Watch {
        pieces,
        chances,
        received: BytesMut::new(),
        decided: VecDeque::new(),
        events: 0,
        ended: false,
    };
    unfold(watch, |mut watch| async move {
        loop {
            if let Some(piece) = watch.decided.pop_front() {
                return Some((piece, watch));
            }
            if watch.ended {
                return None;
            }
            watch.proceed().await;
        }
    })
}

impl Watch {
    /// Decides about the next event, or waits for more of it.
    async fn proceed(&mut self) {
        if let Some(end) = self.received.iter().position(|&byte| byte == b'\n') {
            let line = self.received.split_to(end + 1).freeze();
            self.decide(line).await;
            return;
        }
        match self.pieces.next().await {
            Some(Ok(piece)) => self.received.extend_from_slice(&piece),
            Some(Err(error)) => self.end(Some(error)),
            None => {
                let rest = self.received.split().freeze();
                if !rest.is_empty() {
                    self.decided.push_back(Ok(rest));
                }
                self.end(None);
            }
        }
    }

    async fn decide(&mut self, line: Bytes) {
        let event = Some(self.events);
        self.events += 1;
        self.chances.delay(Mishap::WatchDelay, event).await;
        if self.chances.strikes(Mishap::WatchBreak, event) {
            self.decided.push_back(Ok(line.slice(..line.len() / 2)));
            self.end(Some(dropped()));
            return;
        }
        self.decided.push_back(Ok(line.clone()));
        if self.chances.strikes(Mishap::WatchDuplicate, event) {
            self.decided.push_back(Ok(line));
        }
        if self.chances.strikes(Mishap::WatchEnd, event) {
            self.end(None);
        }
    }

    fn end(&mut self, error: Option<BoxError>) {
        self.decided.extend(error.map(Err));
        self.ended = true;
        // Ends the server's side too.
        self.pieces = stream::empty().boxed();
    }
}
