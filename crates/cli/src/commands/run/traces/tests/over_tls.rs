//! A collector that requires a client certificate, and whose own certificate is verified.

use super::*;
use axum::serve::Listener;
use jiff::Timestamp;
use pki::{Algorithm, Authority, Encoding, Issued, KeySpec, Purpose, Request};
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::WebPkiClientVerifier,
};
use std::{io, net::SocketAddr, path::PathBuf};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tracing::Level;

/// The certificates of the collector and of its client.
struct Keys {
    folder: TempDir,
    server: Issued,
}

impl Keys {
    fn new() -> Self {
        let issue = |subject: &str, purpose, authority: &Authority| {
            let request = Request {
                subject: subject.into(),
                dns_names: vec!["localhost".into()],
                ip_addresses: vec![],
                purpose,
                days: 1,
            };
            let key =
                pki::generate(KeySpec { algorithm: Algorithm::Ecdsa, encoding: Encoding::Pkcs8, size: 256 })
                    .unwrap();
            request.issue(authority, key, [1; 16], Timestamp::now()).unwrap()
        };
        let root = issue("root", Purpose::Authority { only_for: None }, &Authority::Itself);
        let authority = Authority::from_pem(root.chain.clone(), root.key.clone()).unwrap();
        let (server, client) =
            (issue("collector", Purpose::Leaf, &authority), issue("operator", Purpose::Leaf, &authority));
        let folder = tempfile::tempdir().unwrap();
        let files = [("root.crt", &root.chain), ("client.crt", &client.chain), ("client.key", &client.key)];
        for (file, text) in files {
            fs::write(folder.path().join(file), text).unwrap();
        }
        fs::write(folder.path().join("empty"), "").unwrap();
        Self { folder, server }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The files of a client that the collector accepts.
    fn trust(&self) -> Trust {
        Trust {
            authority: Some(self.file("root.crt")),
            client_certificate: Some(self.file("client.crt")),
            client_key: Some(self.file("client.key")),
        }
    }

    fn acceptor(&self) -> TlsAcceptor {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.file("root.crt")).unwrap()).unwrap();
        let provider = Arc::new(default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let chain =
            CertificateDer::pem_slice_iter(self.server.chain.as_bytes()).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(self.server.key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(chain, key)
            .unwrap();
        Arc::new(config).into()
    }
}

/// Accepts clients that have a valid certificate.
struct TlsListener(TcpListener, TlsAcceptor);

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.0.accept().await.unwrap();
            if let Ok(stream) = self.1.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

async fn strict_collector(keys: &Keys) -> (Batches, String) {
    let batches = Batches::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let listener = TlsListener(listener, keys.acceptor());
    let router = collecting(&batches);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (batches, url)
}

/// Sends one span, and returns how many batches arrived.
async fn sent(keys: &Keys, trust: Trust) -> usize {
    let (batches, url) = strict_collector(keys).await;
    let exporter = Traces { otlp_endpoint: Some(url), trust }.start().unwrap().unwrap();
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(exporter.layer()));
    tracing::span!(target: "runtime", Level::INFO, "reconcile").in_scope(|| {});
    drop(guard);
    exporter.flush().await;
    batches.lock().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_are_sent_if_both_certificates_are_valid() {
    let keys = Keys::new();
    assert_eq!(sent(&keys, keys.trust()).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_traces_are_sent_if_one_of_the_certificates_is_not_valid() {
    let keys = Keys::new();
    let other = Keys::new();
    assert_eq!(sent(&keys, Trust { authority: Some(other.file("root.crt")), ..keys.trust() }).await, 0);
    let anonymous = Trust { client_certificate: None, client_key: None, ..keys.trust() };
    assert_eq!(sent(&keys, anonymous).await, 0);
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named_with_their_flag() {
    let keys = Keys::new();
    let error = |trust: Trust| trust.config("https://collector:4318").unwrap_err().to_string();
    let empty = error(Trust { authority: Some(keys.file("empty")), ..keys.trust() });
    assert!(
        empty.starts_with("--otlp-certificate: ") && empty.contains("it contains no certificate"),
        "{empty}"
    );
    let absent = error(Trust { client_key: Some(keys.file("absent")), ..keys.trust() });
    assert!(absent.starts_with("--otlp-client-key: ") && absent.contains("absent"), "{absent}");
    let others = Keys::new();
    let wrong = error(Trust { client_key: Some(others.file("client.key")), ..keys.trust() });
    assert!(
        wrong.starts_with("--otlp-client-key: ") && wrong.contains("--otlp-client-certificate"),
        "{wrong}"
    );
}
