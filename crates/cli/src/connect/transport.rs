//! How requests reach the API server: with HTTP/2, all requests and watches of a process share one connection.
//!
//! kube's own client speaks HTTP/1.1 only, which takes a connection with its TLS state and buffers for every watch.

use http::Uri;
use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::{
    client::{
        legacy::{
            Client as HttpClient,
            connect::{HttpConnector, proxy::Tunnel},
        },
        proxy::matcher::Intercept,
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use kube::{
    Client, Config, Error,
    client::{Body, ClientBuilder, ConfigExt as _, RustlsTlsError},
};
use std::time::Duration;
use tokio::net::TcpStream;
use tower::{BoxError, Service, ServiceBuilder};

/// A connection that was silent for this long is asked for a sign of life, as client-go does.
const PING_AFTER: Duration = Duration::from_secs(30);
/// A connection that does not answer within this time is closed, which ends its watches.
const PING_TIMEOUT: Duration = Duration::from_secs(15);

/// A client for a cluster, through this proxy. It does not connect yet.
pub fn client(config: &Config, proxy: Option<&Intercept>) -> Result<Client, Error> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(config.connect_timeout);
    let Some(proxy) = proxy else { return over(tcp, config) };
    let tunnel = Tunnel::new(proxy.uri().clone(), tcp);
    let tunnel = match proxy.basic_auth() {
        Some(password) => tunnel.with_auth(password.clone()),
        None => tunnel,
    };
    over(tunnel, config)
}

/// A client over such connections.
fn over<C>(connector: C, config: &Config) -> Result<Client, Error>
where
    C: Service<Uri, Response = TokioIo<TcpStream>> + Clone + Send + Sync + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let mut tls =
        HttpsConnectorBuilder::new().with_tls_config(config.rustls_client_config()?).https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = name.clone().try_into().map_err(RustlsTlsError::InvalidServerName);
        tls = tls.with_server_name_resolver(FixedServerNameResolver::new(name.map_err(Error::RustlsTls)?));
    }
    let http: HttpClient<_, Body> = HttpClient::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .http2_keep_alive_interval(PING_AFTER)
        .http2_keep_alive_timeout(PING_TIMEOUT)
        .build(tls.enable_all_versions().wrap_connector(connector));
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    Ok(ClientBuilder::new(service, config.default_namespace.as_str()).build())
}
