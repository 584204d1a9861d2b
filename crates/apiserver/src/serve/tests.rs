use super::{Authority, ClientCertificate, Credential, Endpoint, Pems, serve};
use crate::body::Body;
use futures::StreamExt;
use http::{Request, Response, Version};
use hyper::body::Incoming;
use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};
use std::convert::Infallible;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower::service_fn;

struct Server {
    endpoint: Endpoint,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl Server {
    /// Answers each client with its user and its protocol.
    async fn start(authority: Authority) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let endpoint = Endpoint::new(listener.local_addr().expect("an address"), &authority);
        let (stop, stopped) = oneshot::channel::<()>();
        let service = service_fn(async |request: Request<Incoming>| {
            if request.uri().path() == "/for-ever" {
                return Ok(Response::new(Body::stream(futures::stream::pending())));
            }
            let client = request.extensions().get::<ClientCertificate>();
            let answer = serde_json::json!({
                "name": client.map(|client| &client.common_name),
                "groups": client.map(|client| &client.organizations),
                "http2": request.version() == Version::HTTP_2,
            });
            Ok::<_, Infallible>(Response::new(Body::full(answer.to_string())))
        });
        let running = tokio::spawn(async move {
            serve(service, listener, &authority, stopped).await.expect("it serves");
        });
        Self { endpoint, stop, running }
    }

    async fn client(&self, credential: &Credential) -> Client {
        let kubeconfig =
            Kubeconfig::from_yaml(&self.endpoint.kubeconfig("sandbox", credential)).expect("a kubeconfig");
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        Client::try_from(config.expect("a configuration")).expect("a client")
    }

    async fn answer(&self, credential: &Credential) -> String {
        let request = Request::get("/").body(Vec::new()).expect("a request");
        self.client(credential).await.request_text(request).await.expect("an answer")
    }

    async fn stop(self) {
        drop(self.stop);
        self.running.await.expect("it ends");
    }
}

#[tokio::test]
async fn a_kubeconfig_with_a_certificate_authenticates_its_user() {
    let authority = Authority::generate().expect("an authority");
    let admin = authority.credential("admin", "system:masters").expect("a certificate");
    let server = Server::start(authority).await;

    let answer = server.answer(&admin).await;
    assert!(answer.starts_with(r#"{"groups":["system:masters"],"http2":"#), "{answer}");
    assert!(answer.ends_with(r#","name":"admin"}"#), "{answer}");
    let answer = server.answer(&Credential::Token("t0ken".into())).await;
    assert!(answer.starts_with(r#"{"groups":null,"#), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn a_kubeconfig_stays_valid_over_a_restart_with_the_kept_authority() {
    let authority = Authority::generate().expect("an authority");
    let admin = authority.credential("admin", "system:masters").expect("a certificate");
    let kept = serde_json::to_string(authority.pems()).expect("text");
    let before = Endpoint::new("127.0.0.1:1".parse().expect("an address"), &authority);

    let pems: Pems = serde_json::from_str(&kept).expect("the authority");
    let server = Server::start(Authority::from_pems(pems).expect("the authority")).await;
    assert_eq!(
        server.endpoint.kubeconfig("sandbox", &admin).replace(&server.endpoint.url(), &before.url()),
        before.kubeconfig("sandbox", &admin)
    );
    assert!(server.answer(&admin).await.contains(r#""name":"admin""#));
    server.stop().await;
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let admin = Authority::generate()
        .and_then(|other| other.credential("admin", "system:masters"))
        .expect("a certificate");
    let server = Server::start(Authority::generate().expect("an authority")).await;

    let request = Request::get("/").body(Vec::new()).expect("a request");
    assert!(server.client(&admin).await.request_text(request).await.is_err());
    server.stop().await;
}

#[tokio::test]
async fn garbage_on_a_connection_is_answered_and_does_not_end_the_server() {
    let authority = Authority::generate().expect("an authority");
    let admin = authority.credential("admin", "system:masters").expect("a certificate");
    let server = Server::start(authority).await;

    let mut raw =
        TcpStream::connect(server.endpoint.url().trim_start_matches("https://")).await.expect("open");
    raw.write_all(b"GET").await.expect("sent");
    let mut answer = String::new();
    raw.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.ends_with("\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"), "{answer}");
    let mut raw =
        TcpStream::connect(server.endpoint.url().trim_start_matches("https://")).await.expect("open");
    raw.write_all(&[0x16, 3, 1, 0xff, 0xff, 1, 2, 3]).await.expect("sent");
    drop(raw);

    assert!(server.answer(&admin).await.contains(r#""name":"admin""#));
    server.stop().await;
}

#[tokio::test]
async fn stopping_waits_a_moment_for_a_watch_and_then_ends_it() {
    let authority = Authority::generate().expect("an authority");
    let admin = authority.credential("admin", "system:masters").expect("a certificate");
    let server = Server::start(authority).await;

    let client = server.client(&admin).await;
    let request = Request::get("/for-ever").body(kube::client::Body::empty()).expect("a request");
    let watch = client.send(request).await.expect("an answer");
    server.stop().await;
    let rest = http_body_util::BodyDataStream::new(watch.into_body()).next().await;
    assert!(rest.is_none_or(|rest| rest.is_err()));
}
