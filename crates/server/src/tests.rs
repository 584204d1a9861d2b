use super::{Limits, Streaming, serve};
use axum::{
    Extension, Router,
    body::{Body, Bytes},
    response::IntoResponse as _,
    routing::{get, post},
    serve::Listener,
};
use futures::{FutureExt as _, StreamExt as _, stream::FuturesUnordered};
use std::{future, io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    sync::{Notify, mpsc},
    time::{Instant, advance, timeout},
};
use tokio_util::sync::CancellationToken;

/// A listener for in-memory connections.
struct Port(mpsc::Receiver<DuplexStream>);

impl Listener for Port {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(stream) => (stream, ()),
            None => future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A running server.
struct Site {
    port: mpsc::Sender<DuplexStream>,
    stop: CancellationToken,
    served: tokio::task::JoinHandle<()>,
    /// Notified when a request for `/hang` has arrived.
    hanging: Arc<Notify>,
}

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const LAST: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
const HALF: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\nx-half: ";
const ALMOST_FOREVER: Duration = Duration::from_secs(3599);
const FOREVER: Duration = Duration::from_hours(1);

/// No time limits, so that only the number of connections matters.
const NO_TIMEOUTS: Limits = Limits {
    connections: 64,
    head: FOREVER,
    request: FOREVER,
    idle: FOREVER,
    head_bytes: 16 * 1024,
    body_bytes: 0,
};

impl Site {
    fn new(limits: Limits) -> Self {
        let streaming =
            || async { (Extension(Streaming(FOREVER)), Body::from_stream(never())).into_response() };
        let hanging = Arc::new(Notify::new());
        let arrived = Arc::clone(&hanging);
        let hang = move || {
            arrived.notify_one();
            future::pending::<()>()
        };
        let router = Router::new()
            .route("/", get(async || "ok\n"))
            .route("/echo", post(async |body: Bytes| body))
            .route("/hang", get(hang))
            .route("/stream", get(streaming));
        let (port, listener) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let served = tokio::spawn(serve(Port(listener), router, limits, stop.clone()));
        Self { port, stop, served, hanging }
    }

    async fn connect(&self) -> DuplexStream {
        let (client, server) = duplex(1024);
        self.port.send(server).await.unwrap();
        client
    }

    /// A connection on which the client has sent these bytes.
    async fn sent(&self, bytes: &[u8]) -> DuplexStream {
        let mut client = self.connect().await;
        client.write_all(bytes).await.unwrap();
        client
    }
}

fn never() -> impl futures::Stream<Item = io::Result<&'static str>> + Send + 'static {
    futures::stream::pending()
}

/// Everything that the server sends until it closes the connection.
async fn rest(client: &mut DuplexStream) -> String {
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    text
}

/// The first part of an answer.
async fn begin(client: &mut DuplexStream) -> String {
    let mut bytes = [0; 1024];
    let length = client.read(&mut bytes).await.unwrap();
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

#[tokio::test]
async fn of_8000_half_sent_requests_64_stay_open_and_a_whole_one_is_answered() {
    let site = Site::new(NO_TIMEOUTS);
    let mut flood = Vec::new();
    for _ in 0..8000 {
        flood.push(site.sent(HALF).await);
    }
    let answer = rest(&mut site.sent(LAST).await).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok\n"), "{answer}");

    let mut ends: FuturesUnordered<_> =
        flood.iter_mut().map(|client| async move { rest(client).await }).collect();
    // The answered connection replaced one of them.
    for _ in 0..8000 - 63 {
        assert_eq!(ends.next().await.as_deref(), Some(""), "it is closed without an answer");
    }
    assert_eq!(ends.next().now_or_never(), None, "63 are still open");
}

#[tokio::test]
async fn idle_connections_make_room_and_those_that_are_being_answered_do_not() {
    let site = Site::new(Limits { connections: 2, ..NO_TIMEOUTS });
    let mut stream = site.sent(b"GET /stream HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(begin(&mut stream).await.starts_with("HTTP/1.1 200"));
    let mut idle = site.sent(GET).await;
    assert!(begin(&mut idle).await.ends_with("ok\n"));

    let mut second = site.sent(b"GET /stream HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(rest(&mut idle).await, "", "it has made room");
    assert!(begin(&mut second).await.starts_with("HTTP/1.1 200"));

    let mut third = site.connect().await;
    assert_eq!(rest(&mut third).await, "", "it is closed at once");
    assert!(begin(&mut stream).now_or_never().is_none() && begin(&mut second).now_or_never().is_none());
}

/// How long it takes until the server closes a connection on which the client sends these bytes and one more each
/// second.
async fn closed_after(bytes: &[u8]) -> Duration {
    let site = Site::new(Limits::DEFAULT);
    let start = Instant::now();
    let mut client = site.sent(bytes).await;
    while client.write_all(b"x").await.is_ok() {
        let _ = timeout(Duration::from_secs(1), rest(&mut client)).await;
    }
    start.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_head_that_comes_byte_by_byte_is_given_up_in_time() {
    let second = Duration::from_secs(1);
    let head = closed_after(HALF).await;
    assert!(head >= Limits::DEFAULT.head && head <= Limits::DEFAULT.head + second, "{head:?}");
    let again = [GET, HALF].concat();
    let idle = closed_after(&again).await;
    assert!(idle >= Limits::DEFAULT.idle && idle <= Limits::DEFAULT.idle + second, "{idle:?}");
}

#[tokio::test(start_paused = true)]
async fn silent_idle_and_hanging_connections_are_closed_and_streams_last_longer() {
    let site = Site::new(Limits::DEFAULT);
    let closed = async |bytes: &[u8]| {
        let start = Instant::now();
        rest(&mut site.sent(bytes).await).await;
        start.elapsed()
    };
    assert_eq!(closed(b"").await, Limits::DEFAULT.head);
    assert_eq!(closed(GET).await, Limits::DEFAULT.idle);
    assert_eq!(closed(b"GET /hang HTTP/1.1\r\nhost: x\r\n\r\n").await, Limits::DEFAULT.request);

    let mut stream = site.sent(b"GET /stream HTTP/1.1\r\nhost: x\r\n\r\n").await;
    begin(&mut stream).await;
    advance(ALMOST_FOREVER).await;
    assert_eq!(begin(&mut stream).now_or_never(), None);
    advance(Duration::from_secs(1)).await;
    assert_eq!(rest(&mut stream).await, "", "not even a stream lasts for ever");
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused_before_it_is_read_to_its_end() {
    let site = Site::new(NO_TIMEOUTS);
    let mut client = site.sent(HALF).await;
    let (mut reader, mut writer) = tokio::io::split(&mut client);
    let sending = async {
        let mut sent = 0;
        while writer.write_all(&[b'x'; 64]).await.is_ok() {
            sent += 64;
        }
        sent
    };
    let mut answer = String::new();
    let (sent, read) = tokio::join!(sending, reader.read_to_string(&mut answer));
    read.unwrap();
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    // The size of the server's buffer and of the pipe between the two.
    assert!(sent <= NO_TIMEOUTS.head_bytes + 1024, "{sent} bytes");
}

#[tokio::test]
async fn a_body_is_refused_unread() {
    let site = Site::new(NO_TIMEOUTS);
    for body in ["content-length: 1000000000", "transfer-encoding: chunked"] {
        let request = format!("GET / HTTP/1.1\r\nhost: x\r\n{body}\r\n\r\n");
        let answer = rest(&mut site.sent(request.as_bytes()).await).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.ends_with("\r\n\r\na request has no body here\n"), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_ends_soon_after_it_is_stopped() {
    let site = Site::new(Limits::DEFAULT);
    let mut idle = site.sent(GET).await;
    begin(&mut idle).await;
    let mut hanging = site.sent(b"GET /hang HTTP/1.1\r\nhost: x\r\n\r\n").await;
    site.hanging.notified().await;
    let start = Instant::now();
    site.stop.cancel();
    assert_eq!(rest(&mut idle).await, "");
    assert_eq!(start.elapsed(), Duration::ZERO, "there is nothing to wait for");
    site.served.await.unwrap();
    assert_eq!(start.elapsed(), super::GRACE);
    assert_eq!(rest(&mut hanging).await, "");
}

/// A request with a body, whose length is in its head, or is not.
fn posted(length: Option<usize>, body: &str) -> Vec<u8> {
    let head = "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    let text = match length {
        Some(length) => format!("{head}content-length: {length}\r\n\r\n{body}"),
        None => format!("{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
    };
    text.into_bytes()
}

#[tokio::test]
async fn a_body_is_answered_up_to_the_limit_and_refused_beyond_it() {
    let site = Site::new(Limits { body_bytes: 10, ..NO_TIMEOUTS });
    for request in [posted(Some(10), "0123456789"), posted(None, "0123456789")] {
        let answer = rest(&mut site.sent(&request).await).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("0123456789"), "{answer}");
    }
    // The second says so only while it sends.
    for request in [posted(Some(11), ""), posted(None, "0123456789a")] {
        let answer = rest(&mut site.sent(&request).await).await;
        assert!(answer.starts_with("HTTP/1.1 413 Payload Too Large\r\n"), "{answer}");
    }
    let without = Site::new(NO_TIMEOUTS);
    let answer = rest(&mut without.sent(&posted(Some(1), "0")).await).await;
    assert!(answer.starts_with("HTTP/1.1 413 Payload Too Large\r\n"), "{answer}");
}
