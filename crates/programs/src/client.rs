//! An HTTP client, with and without TLS.

use crate::error::Failure;
use bytes::Bytes;
use http::{Method, Request, Response, header::HOST};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::{error::Error, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

/// Longer than any answer takes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An HTTP client that opens a new connection for each request and does not follow redirects.
#[derive(Debug, Clone)]
pub struct Client {
    address: SocketAddr,
    tls: Option<Tls>,
}

#[derive(Debug, Clone)]
struct Tls {
    authority: String,
    name: String,
}

impl Client {
    /// A client for plain HTTP.
    pub fn http(address: impl Into<SocketAddr>) -> Self {
        Self { address: address.into(), tls: None }
    }

    /// A client for HTTPS, which verifies that the server has a certificate of `authority` for `name`.
    pub fn https(address: impl Into<SocketAddr>, authority: &str, name: &str) -> Self {
        let tls = Tls { authority: authority.to_owned(), name: name.to_owned() };
        Self { address: address.into(), tls: Some(tls) }
    }

    /// The answer to a GET request for a path.
    pub fn get(&self, path: &str) -> Result<Response<Bytes>, Failure> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = path.parse().map_err(|error| self.unanswered(&Method::GET, path, &error))?;
        self.send(request)
    }

    /// The answer to a request, whose URI has only a path and a query.
    pub fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, Failure> {
        let (method, path) = (request.method().clone(), request.uri().to_string());
        if let (false, Ok(host)) = (request.headers().contains_key(HOST), self.address.to_string().parse()) {
            request.headers_mut().insert(HOST, host);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| self.unanswered(&method, &path, &error))?;
        let answer =
            runtime.block_on(async { timeout(TIMEOUT, self.exchange(request.map(Full::new))).await });
        match answer {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(self.unanswered(&method, &path, &*error)),
            Err(elapsed) => Err(self.unanswered(&method, &path, &elapsed)),
        }
    }

    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(self.address).await?;
        let Some(tls) = &self.tls else { return exchange_over(stream, request).await };
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(tls.authority.as_bytes()) {
            roots.add(certificate?)?;
        }
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from(tls.name.clone())?;
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        exchange_over(stream, request).await
    }

    fn unanswered(&self, method: &Method, path: &str, error: &dyn Error) -> Failure {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}{path}", self.address);
        Failure::NoAnswer { method: method.clone(), url, problem: error.to_string() }
    }
}

async fn exchange_over(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // An error of the connection also fails the request.
    tokio::spawn(connection);
    let (parts, body) = sender.send_request(request).await?.into_parts();
    Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
}
