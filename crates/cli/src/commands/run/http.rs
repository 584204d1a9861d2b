//! Health and metrics over HTTP.

use crate::output::Error;
use axum::{
    Router,
    http::{
        HeaderMap, StatusCode,
        header::{ACCEPT, CONTENT_TYPE, VARY},
    },
    routing::get,
};
use runtime::{Format, Health, HealthError, Metrics};
use server::Limits;
use std::{
    fmt, io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    str::FromStr,
    sync::Arc,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The address to listen on, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// No address.
    Off,
    /// This port on every address of the machine, IPv6 and IPv4.
    Port(u16),
    /// This address.
    At(SocketAddr),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix(':')) {
            ("off" | "0", _) => Ok(Self::Off),
            (_, Some(port)) => port.parse().map(Self::Port).map_err(|_| format!("{port:?} is not a port")),
            (address, None) => address
                .parse()
                .map(Self::At)
                .map_err(|_| "write it as :PORT, as IP:PORT or as [IPv6]:PORT, or as off".to_owned()),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Port(port) => write!(f, ":{port}"),
            Self::At(address) => address.fmt(f),
        }
    }
}

impl Listen {
    /// Whether both are the same address. Port 0 is any free port, so it is never shared.
    pub fn shares(self, other: Self) -> bool {
        let port = match self {
            Self::Off => 0,
            Self::Port(port) => port,
            Self::At(address) => address.port(),
        };
        self == other && port != 0
    }

    /// A listener, unless it is off.
    pub async fn bind(self, flag: &str) -> Result<Option<TcpListener>, Error> {
        let bound = match self {
            Self::Off => return Ok(None),
            Self::At(address) => TcpListener::bind(address).await,
            Self::Port(port) => match TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).await {
                // A kernel without IPv6.
                Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
                    TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await
                }
                bound => bound,
            },
        };
        let refused = |error: io::Error| Error::Listen {
            address: self.to_string(),
            problem: error.to_string(),
            flag: flag.to_owned(),
        };
        bound.map(Some).map_err(refused)
    }
}

/// Serves as long as the process lives, so that probes succeed while it shuts down.
pub fn serve(listener: TcpListener, what: &str, router: Router) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, what, "listening");
    }
    tokio::spawn(server::serve(listener, router, Limits::DEFAULT, CancellationToken::new()));
}

/// `/healthz` and `/readyz`, with the reason if a check fails.
pub fn health(health: Arc<Health>) -> Router {
    let (alive, ready) = (Arc::clone(&health), health);
    Router::new()
        .route("/healthz", get(move || async move { answer(alive.alive()) }))
        .route("/readyz", get(move || async move { answer(ready.ready()) }))
}

fn answer(check: Result<(), HealthError>) -> (StatusCode, String) {
    match check {
        Ok(()) => (StatusCode::OK, "ok\n".to_owned()),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
    }
}

/// The path of the metrics.
pub const METRICS: &str = "/metrics";

/// The metrics, in the format that the request asks for.
pub fn metrics(metrics: Arc<Metrics>) -> Router {
    let answer = move |request: HeaderMap| async move {
        let accepted: Vec<_> =
            request.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        let format = Format::accepted(&accepted.join(","));
        ([(CONTENT_TYPE, format.media_type()), (VARY, "accept")], metrics.text(format))
    };
    Router::new().route(METRICS, get(answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// The answer to a request, head and body.
    async fn answer_to(router: Router, path: &str) -> (String, String) {
        answer_with(router, path, "").await
    }

    /// The answer to a request with more headers.
    async fn answer_with(router: Router, path: &str, headers: &str) -> (String, String) {
        let listener = Listen::At(([127, 0, 0, 1], 0).into()).bind("--x").await.unwrap().unwrap();
        let address = listener.local_addr().unwrap();
        serve(listener, "all", router);
        let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).await.unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    #[tokio::test]
    async fn an_operator_that_has_not_started_is_alive_and_not_ready() {
        let router = health(Arc::default());
        let (head, body) = answer_to(router.clone(), "/healthz").await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(body, "ok\n");
        let (head, body) = answer_to(router, "/readyz").await;
        assert!(head.starts_with("HTTP/1.1 503"), "{head}");
        assert_eq!(body, "the operator has not started yet\n");
    }

    #[tokio::test]
    async fn metrics_are_plain_text_unless_openmetrics_is_asked_for() {
        let (head, body) = answer_to(metrics(Arc::default()), "/metrics").await;
        assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
        assert!(
            body.contains("# TYPE harbor_operator_build_info gauge\n") && !body.contains("# EOF"),
            "{body}"
        );

        let accept = "accept: application/openmetrics-text;version=1.0.0\r\naccept: text/plain;q=0.5\r\n";
        let (head, body) = answer_with(metrics(Arc::default()), "/metrics", accept).await;
        assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0"), "{head}");
        assert!(body.contains("# TYPE harbor_operator_build info\n") && body.ends_with("# EOF\n"), "{body}");
    }

    #[test]
    fn addresses_are_written_as_the_old_operator_took_them() {
        let parse = |text: &str| text.parse::<Listen>();
        assert_eq!(parse(":8080"), Ok(Listen::Port(8080)));
        assert_eq!(parse("0"), Ok(Listen::Off));
        assert_eq!(parse("off"), Ok(Listen::Off));
        assert_eq!(parse("127.0.0.1:1"), Ok(Listen::At(([127, 0, 0, 1], 1).into())));
        assert_eq!(parse("[::]:5000").map(|listen| listen.to_string()), Ok("[::]:5000".into()));
        assert_eq!(parse(":http"), Err("\"http\" is not a port".into()));
        assert!(parse("8080").unwrap_err().contains(":PORT"));
    }

    #[test]
    fn port_0_is_never_shared() {
        let at = |text: &str| text.parse::<Listen>().unwrap();
        assert!(at(":8080").shares(at(":8080")));
        assert!(!at(":8080").shares(at(":5000")));
        assert!(!at("127.0.0.1:0").shares(at("127.0.0.1:0")));
        assert!(!at("off").shares(at("off")));
    }

    #[tokio::test]
    async fn an_address_in_use_is_named_with_the_flag_to_change() {
        let taken = Listen::At(([127, 0, 0, 1], 0).into()).bind("--x").await.unwrap().unwrap();
        let address = taken.local_addr().unwrap();
        let error = Listen::At(address).bind("--health-address").await.unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot listen on {address}: ")), "{error}");
        assert!(error.ends_with("choose another with --health-address, or off"), "{error}");
    }
}
