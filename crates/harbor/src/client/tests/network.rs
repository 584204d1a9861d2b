//! Over real sockets: what only a real server can show.

use crate::{Address, Credentials, Failure, Harbor, Limits, Message, Trust, Unreachable};
use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Redirect, Response},
    routing::any,
};
use http::header::{COOKIE, SET_COOKIE};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring::default_provider,
        pki_types::{PrivateKeyDer, pem::PemObject as _},
    },
};

async fn serve(answer: impl Fn(Request) -> Response + Clone + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router(answer)).await });
    address
}

fn router(answer: impl Fn(Request) -> Response + Clone + Send + Sync + 'static) -> Router {
    Router::new().fallback(any(move |request: Request| {
        let response = answer(request);
        async move { response }
    }))
}

fn client(address: &str, trust: &Trust) -> Harbor {
    let address: Address = address.parse().unwrap();
    Harbor::new(address, trust, Credentials::new("admin", "Harbor12345"), Limits::DEFAULT).unwrap()
}

fn plain(address: SocketAddr) -> Harbor {
    client(&format!("http://{address}"), &Trust::Unverified)
}

#[tokio::test]
async fn cookies_are_not_sent_back() {
    let cookies = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&cookies);
    let address = serve(move |request| {
        seen.lock().unwrap().push(request.headers().get(COOKIE).cloned());
        ([(SET_COOKIE, "sid=abc; Path=/; HttpOnly")], "{}").into_response()
    })
    .await;
    let harbor = plain(address);
    for _ in 0..3 {
        harbor.users().current().await.unwrap();
    }
    assert_eq!(*cookies.lock().unwrap(), [None, None, None]);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&paths);
    let address = serve(move |request| {
        seen.lock().unwrap().push(request.uri().path().to_owned());
        Redirect::permanent("/elsewhere").into_response()
    })
    .await;
    let error = plain(address).users().current().await.unwrap_err();
    let expected = Failure::Unexpected(Message::new("a redirect, which Harbor does not send"));
    assert_eq!(*error.failure(), expected);
    assert_eq!(*paths.lock().unwrap(), ["/api/v2.0/users/current"]);
}

#[tokio::test]
async fn a_closed_port_is_a_connection_failure() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = plain(address).projects().delete("a").await.unwrap_err();
    assert!(matches!(error.failure(), Failure::Unreachable(Unreachable::Connection(_))), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_cut_off() {
    let address = serve(|_| "x".repeat(2000).into_response()).await;
    let limits = Limits { answer_bytes: 1000, ..Limits::DEFAULT };
    let at: Address = format!("http://{address}").parse().unwrap();
    let harbor = Harbor::new(at, &Trust::Unverified, Credentials::new("a", "b"), limits).unwrap();
    let error = harbor.users().current().await.unwrap_err();
    assert_eq!(*error.failure(), Failure::Unexpected(Message::new("the body is too long")));
}

/// A server with a certificate for `localhost`, and the authority that signed it.
struct Secure {
    port: u16,
    authority: String,
}

impl Secure {
    async fn start() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = certificate.signed_by(&key, &authority).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap(),
            )
            .unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(accept(listener, TlsAcceptor::from(Arc::new(config))));
        Self { port, authority: authority.pem() }
    }

    async fn ask(&self, host: &str, trust: &Trust) -> Result<(), crate::Error> {
        let harbor = client(&format!("https://{host}:{}", self.port), trust);
        // A write, since a read would be repeated.
        harbor.projects().delete("a").await.map(drop)
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor) {
    let router = router(|_| "{}".into_response());
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, router) = (acceptor.clone(), router.clone());
        tokio::spawn(async move {
            let stream = acceptor.accept(stream).await?;
            let service = TowerToHyperService::new(router);
            let served =
                Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
            served.map_err(std::io::Error::other)
        });
    }
}

fn is_certificate_failure(answer: Result<(), crate::Error>) -> bool {
    let error = answer.unwrap_err();
    matches!(error.failure(), Failure::Unreachable(Unreachable::Certificate(_)))
}

#[tokio::test]
async fn a_server_is_trusted_if_a_given_authority_signed_its_certificate() {
    let (server, other) = (Secure::start().await, Secure::start().await);
    server.ask("localhost", &Trust::Authorities(server.authority.clone())).await.unwrap();
    let both = format!("{}{}", other.authority, server.authority);
    server.ask("localhost", &Trust::Authorities(both)).await.unwrap();
    let wrong = Trust::Authorities(other.authority.clone());
    assert!(is_certificate_failure(server.ask("localhost", &wrong).await));
}

#[tokio::test]
async fn a_certificate_must_be_for_the_name_in_the_address() {
    let server = Secure::start().await;
    let trust = Trust::Authorities(server.authority.clone());
    assert!(is_certificate_failure(server.ask("127.0.0.1", &trust).await));
}

#[tokio::test]
async fn any_certificate_is_accepted_only_if_asked_for() {
    let server = Secure::start().await;
    server.ask("127.0.0.1", &Trust::Unverified).await.unwrap();
}

#[tokio::test]
async fn a_private_authority_is_not_public() {
    let server = Secure::start().await;
    // A system without any authority cannot be asked for trust in the first place.
    let address: Address = format!("https://localhost:{}", server.port).parse().unwrap();
    if let Ok(harbor) = Harbor::new(address, &Trust::Public, Credentials::new("a", "b"), Limits::DEFAULT) {
        assert!(is_certificate_failure(harbor.projects().delete("a").await.map(drop)));
    }
}

#[tokio::test]
async fn a_router_in_memory_is_a_server_too() {
    let service = router(|request| {
        assert_eq!(request.uri().path(), "/api/v2.0/users/current");
        r#"{"user_id": 1}"#.into_response()
    });
    let address: Address = "http://core.example.com".parse().unwrap();
    let harbor = Harbor::over(service, address, Credentials::new("a", "b"), Limits::DEFAULT);
    assert_eq!(harbor.users().current().await.unwrap().id.0, 1);
}
