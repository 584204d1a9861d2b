//! Calls webhooks over HTTPS, as a real server does.

use super::{Target, Webhooks};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use serde_json::Value;
use std::{fmt, net::SocketAddr, pin::pin, sync::Arc};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tower::BoxError;

/// The longest answer of a webhook that is read, in bytes. One that converts answers with all objects of a list.
const LONGEST_ANSWER: usize = 32 * 1024 * 1024;

/// Where a Service is reached: its namespace, name and port.
type Resolve = dyn Fn(&str, &str, u16) -> Option<SocketAddr> + Send + Sync;

/// Calls webhooks over HTTPS, and trusts the authorities in their `caBundle`.
///
/// There are no pods behind Services here, so a program says where those are that it serves itself.
#[derive(Clone)]
pub struct RemoteWebhooks {
    resolve: Arc<Resolve>,
}

impl Default for RemoteWebhooks {
    /// Reaches webhooks at URLs only.
    fn default() -> Self {
        Self::new(|_, _, _| None)
    }
}

impl fmt::Debug for RemoteWebhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteWebhooks").finish_non_exhaustive()
    }
}

impl RemoteWebhooks {
    /// Reaches webhooks behind Services at the addresses that `resolve` returns for namespace, name and port.
    pub fn new(resolve: impl Fn(&str, &str, u16) -> Option<SocketAddr> + Send + Sync + 'static) -> Self {
        Self { resolve: Arc::new(resolve) }
    }

    async fn post(&self, target: &Target, ca_bundle: &[u8], review: Value) -> Result<Value, BoxError> {
        let uri: Uri = target.to_string().parse()?;
        let host = uri.host().ok_or("the URL has no host")?;
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
        let socket = match target {
            Target::Service { namespace, name, port, .. } => {
                let address = (self.resolve)(namespace, name, *port);
                TcpStream::connect(address.ok_or_else(|| format!("service {name:?} not found"))?).await?
            }
            Target::Url(_) => TcpStream::connect((host, uri.port_u16().unwrap_or(443))).await?,
        };
        socket.set_nodelay(true)?;
        let stream = TlsConnector::from(Arc::new(trusting(ca_bundle)?)).connect(name, socket).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let request = Request::post(uri.path_and_query().map_or("/", |path| path.as_str()))
            .header(header::HOST, uri.authority().map_or("", |authority| authority.as_str()))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json")
            .body(Full::new(Bytes::from(serde_json::to_vec(&review)?)))?;
        let exchange = async {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await?.to_bytes();
            Ok::<_, BoxError>((status, body))
        };
        let mut exchange = pin!(exchange);
        let (status, body) = tokio::select! {
            exchanged = &mut exchange => exchanged?,
            // The answer may have arrived whole; if not, the exchange fails.
            _ = connection => exchange.await?,
        };
        if status != StatusCode::OK {
            return Err("the server rejected our request for an unknown reason".into());
        }
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Webhooks for RemoteWebhooks {
    fn call<'a>(
        &'a self,
        target: &'a Target,
        ca_bundle: &'a [u8],
        review: Value,
    ) -> BoxFuture<'a, Result<Value, BoxError>> {
        Box::pin(self.post(target, ca_bundle, review))
    }
}

fn trusting(ca_bundle: &[u8]) -> Result<ClientConfig, BoxError> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(ca_bundle) {
        roots.add(certificate?)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
