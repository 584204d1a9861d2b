//! A server on a socket: TLS, HTTP/1.1 and HTTP/2, client certificates, and its kubeconfig.

mod authority;
mod kubeconfig;
mod subject;
#[cfg(test)]
mod tests;

pub use authority::{Authority, AuthorityError, Pems};
pub use kubeconfig::{Credential, Endpoint, KubeconfigError};
pub(crate) use subject::ClientCertificate;

use crate::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::{BoxError, Service, ServiceExt};

/// How long a client may take for the handshake, and for the head of each request.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long running requests may take when the server stops. A watch would never end.
const GRACE: Duration = Duration::from_secs(2);

/// The pause before the next accept when the system has no more sockets.
const RECOVERY: Duration = Duration::from_millis(100);

/// The answer to a client that sends plain HTTP.
const NOT_TLS: &[u8] = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/// Answers requests on `listener` until `stop` completes. A broken connection never ends the server.
pub async fn serve<S>(
    service: S,
    listener: TcpListener,
    authority: &Authority,
    stop: impl Future,
) -> Result<(), AuthorityError>
where
    S: Service<Request<Incoming>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
{
    let tls = TlsAcceptor::from(Arc::new(authority.server_config()?));
    let (stopping, _) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            biased;
            _ = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((socket, peer)) => {
                    let (tls, service, stopping) = (tls.clone(), service.clone(), stopping.subscribe());
                    connections.spawn(async move {
                        if let Err(error) = converse(socket, tls, service, stopping).await {
                            tracing::debug!(%peer, error = &*error, "connection failed");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(RECOVERY).await;
                }
            },
            // Otherwise ended connections would accumulate.
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    drop(stopping);
    if timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await.is_err() {
        connections.shutdown().await;
    }
    Ok(())
}

/// One connection, until either side ends it.
async fn converse<S>(
    mut socket: TcpStream,
    tls: TlsAcceptor,
    service: S,
    mut stopping: watch::Receiver<()>,
) -> Result<(), BoxError>
where
    S: Service<Request<Incoming>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
{
    // Events of a watch are small and urgent.
    socket.set_nodelay(true)?;
    if !timeout(CLIENT_TIMEOUT, begins_tls(&socket)).await?? {
        return Ok(timeout(GRACE, refuse(&mut socket)).await??);
    }
    let stream = timeout(CLIENT_TIMEOUT, tls.accept(socket)).await??;
    let client = stream
        .get_ref()
        .1
        .peer_certificates()
        .and_then(|chain| chain.first())
        .and_then(ClientCertificate::of);
    let service = service_fn(move |mut request: Request<Incoming>| {
        if let Some(client) = &client {
            request.extensions_mut().insert(client.clone());
        }
        service.clone().oneshot(request)
    });

    let mut http = Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(CLIENT_TIMEOUT);
    http.http2().timer(TokioTimer::new()).keep_alive_interval(Some(Duration::from_secs(30)));
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        ended = connection.as_mut() => return ended,
        _ = stopping.changed() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// Answers with the error. If bytes were left unread, the system would discard the answer, so some are read.
async fn refuse(socket: &mut TcpStream) -> io::Result<()> {
    socket.write_all(NOT_TLS).await?;
    socket.shutdown().await?;
    let mut rest = socket.take(64 * 1024);
    tokio::io::copy(&mut rest, &mut tokio::io::sink()).await?;
    Ok(())
}

/// Whether the client does not begin with a letter, as HTTP does.
async fn begins_tls(socket: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    socket.peek(&mut first).await?;
    Ok(!first[0].is_ascii_alphabetic())
}
