//! One connection: answers its requests one after the other, with time limits.

use crate::Limits;
use axum::{
    Router,
    body::Body,
    response::{IntoResponse as _, Response},
};
use http::{Request, StatusCode, header};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::Limited;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// An extension for responses with a streaming body: the time limit that replaces [`Limits::request`].
#[derive(Clone, Copy, Debug)]
pub struct Streaming(pub Duration);

/// The phase of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    /// The first request has not arrived.
    First { since: Instant },
    /// The last request was answered, and the next has not arrived.
    Idle { since: Instant },
    /// The server is answering a request.
    Answering { since: Instant },
    /// The server is answering a request with a stream.
    Streaming { until: Instant },
}

impl Phase {
    pub(crate) fn first() -> Self {
        Self::First { since: Instant::now() }
    }

    /// Since when the connection waits for a request, if it does.
    pub(crate) fn waiting_since(self) -> Option<Instant> {
        match self {
            Self::First { since } | Self::Idle { since } => Some(since),
            Self::Answering { .. } | Self::Streaming { .. } => None,
        }
    }

    /// When the phase must have ended.
    fn deadline(self, limits: &Limits) -> Instant {
        match self {
            Self::First { since } => since + limits.head,
            Self::Idle { since } => since + limits.idle,
            Self::Answering { since } => since + limits.request,
            Self::Streaming { until } => until,
        }
    }
}

/// Answers the requests of a connection until the client closes it, a limit is exceeded or the server stops.
pub(crate) async fn answer<S: AsyncRead + AsyncWrite + Unpin + Send>(
    stream: S,
    router: Router,
    limits: Limits,
    phase: watch::Sender<Phase>,
    stop: CancellationToken,
) {
    let mut seen = phase.subscribe();
    let service = service_fn(move |request| respond(router.clone(), request, limits, phase.clone()));
    let mut builder = http1::Builder::new();
    // The deadlines of the phases replace it.
    builder.timer(TokioTimer::new()).header_read_timeout(None::<Duration>);
    builder.max_header_size(limits.head_bytes).max_buf_size(limits.head_bytes.max(SMALLEST_BUFFER));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut stopping = false;
    loop {
        let deadline = seen.borrow_and_update().deadline(&limits);
        tokio::select! {
            // The client closed the connection or sent invalid HTTP, which is no error of the server.
            _ = connection.as_mut() => return,
            () = sleep_until(deadline) => return,
            Ok(()) = seen.changed() => {}
            () = stop.cancelled(), if !stopping => {
                connection.as_mut().graceful_shutdown();
                stopping = true;
            }
        }
    }
}

/// The smallest buffer that hyper accepts.
const SMALLEST_BUFFER: usize = 8 * 1024;

async fn respond(
    router: Router,
    request: Request<Incoming>,
    limits: Limits,
    phase: watch::Sender<Phase>,
) -> Result<Response, Infallible> {
    let answering = Answering::begin(phase);
    if limits.body_bytes == 0 && !request.body().is_end_stream() {
        return Ok(too_large("a request has no body here\n".to_owned()));
    }
    let longest = limits.body_bytes as u64;
    if request.body().size_hint().lower() > longest {
        return Ok(too_large(format!("the body is larger than {longest} bytes\n")));
    }
    // For a body whose length is not known.
    let request = request.map(|body| Body::new(Limited::new(body, limits.body_bytes)));
    let response = router.oneshot(request).await?;
    if let Some(Streaming(longest)) = response.extensions().get() {
        answering.0.send_replace(Phase::Streaming { until: Instant::now() + *longest });
    }
    Ok(response.map(|body| Body::new(Answer { body, _answering: answering })))
}

/// Refuses a body, which the server does not read.
fn too_large(why: String) -> Response {
    (StatusCode::PAYLOAD_TOO_LARGE, [(header::CONNECTION, "close")], why).into_response()
}

/// A request that the server is answering. When it is dropped, the connection waits for the next one.
struct Answering(watch::Sender<Phase>);

impl Answering {
    fn begin(phase: watch::Sender<Phase>) -> Self {
        phase.send_replace(Phase::Answering { since: Instant::now() });
        Self(phase)
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.send_replace(Phase::Idle { since: Instant::now() });
    }
}

/// The body of an answer. When it is dropped, the request is answered.
struct Answer {
    body: Body,
    _answering: Answering,
}

impl http_body::Body for Answer {
    type Data = <Body as http_body::Body>::Data;
    type Error = <Body as http_body::Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
