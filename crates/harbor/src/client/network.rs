//! The network as a service: HTTP/1.1 over TCP or TLS, without proxy, cookies and redirects.

use super::{Limits, Transport, Trust, TrustError, transport};
use crate::error::{Message, Unreachable};
use http::Uri;
use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{self, Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use std::{
    error::Error,
    fmt::Write as _,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::timeout;
use tower::{BoxError, Service};

/// How long an unused connection stays open: less than servers and proxies keep it, so that a write seldom meets one
/// that the other side has just closed.
const IDLE: Duration = Duration::from_secs(15);

/// A service that sends requests over the network.
pub(super) fn network(trust: &Trust, limits: &Limits) -> Result<Transport, TrustError> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let tls = HttpsConnectorBuilder::new().with_tls_config(trust.config()?).https_or_http();
    let tls = match trust.server_name()? {
        Some(name) => tls.with_server_name_resolver(FixedServerNameResolver::new(name)),
        None => tls,
    };
    let tls = tls.enable_http1();
    let connector = ConnectTimeout { connector: tls.wrap_connector(tcp), longest: limits.connect };
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(limits.at_once)
        .build(connector);
    Ok(transport(client))
}

/// Bounds the time of a connection as a whole: name, TCP and TLS.
#[derive(Clone, Debug)]
pub(super) struct ConnectTimeout<C> {
    pub(super) connector: C,
    pub(super) longest: Duration,
}

impl<C> Service<Uri> for ConnectTimeout<C>
where
    C: Service<Uri, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, longest) = (self.connector.call(uri), self.longest);
        Box::pin(async move {
            match timeout(longest, connecting).await {
                Ok(connected) => connected.map_err(Into::into),
                Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long").into()),
            }
        })
    }
}

/// Why a request got no answer.
pub(super) fn unreachable(error: &BoxError) -> Unreachable {
    let mut text = String::new();
    let (mut certificate, mut cause) = (None, Some(&**error as &(dyn Error + 'static)));
    while let Some(error) = cause {
        // Writing to a String does not fail.
        let _ = write!(text, "{}{error}", if text.is_empty() { "" } else { ": " });
        certificate = certificate.or_else(|| certificate_problem(error));
        cause = error.source();
    }
    let connecting = error.downcast_ref::<legacy::Error>().is_some_and(legacy::Error::is_connect);
    match certificate {
        Some(problem) => Unreachable::Certificate(problem),
        None if connecting => Unreachable::Connection(Message::new(&text)),
        None => Unreachable::Broken(Message::new(&text)),
    }
}

/// What is wrong with a certificate. TLS hides that in I/O errors, whose `source` passes over what they contain.
fn certificate_problem(error: &(dyn Error + 'static)) -> Option<Message> {
    if let Some(rustls::Error::InvalidCertificate(problem)) = error.downcast_ref() {
        return Some(Message::new(&problem.to_string()));
    }
    let inner = error.downcast_ref::<io::Error>()?.get_ref()?;
    certificate_problem(inner)
}
