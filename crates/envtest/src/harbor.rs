//! A Harbor API on loopback. The functions panic on errors, because a test would.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

use apiserver::{Authority, Body, serve};
use bytes::Bytes;
use harborserver::{HarborServer, TokioClock, Version};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use jiff::Timestamp;
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use std::convert::Infallible;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::Service as _;

/// A Harbor in memory behind a socket with TLS, for operators in other processes. It ends when it is dropped.
pub struct HarborApi {
    /// Its address.
    pub url: String,
    /// The certificate authority that clients must trust, as PEM.
    pub authority: String,
    /// The Harbor.
    pub harbor: HarborServer,
    stop: DropGuard,
    serving: JoinHandle<()>,
}

impl HarborApi {
    /// The password of the administrator, `admin`.
    pub const PASSWORD: &str = "Harbor12345";

    /// A freshly installed Harbor 2.15.2.
    pub async fn start() -> Self {
        // Executions are told apart by the time at which they began.
        let clock = TokioClock::starting_at(Timestamp::now());
        let harbor = HarborServer::builder(Version::new(15, 2), Self::PASSWORD).clock(clock).build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let authority = Authority::generate().unwrap();
        let certificate = authority.certificate().to_owned();
        let (stop, answering) = (CancellationToken::new(), harbor.clone());
        let service = tower::service_fn(move |request: Request<_>| {
            let mut harbor = answering.clone();
            async move {
                let Ok(answer) = harbor.call(request).await;
                let (head, body) = answer.into_parts();
                let Ok(body) = body.collect().await;
                Ok::<_, Infallible>(Response::from_parts(head, Body::full(body.to_bytes())))
            }
        });
        let stopped = stop.clone().cancelled_owned();
        let serving =
            tokio::spawn(async move { serve(service, listener, &authority, stopped).await.unwrap() });
        Self { url, authority: certificate, harbor, stop: stop.drop_guard(), serving }
    }

    /// Ends it, and waits until nothing answers at its address.
    pub async fn stop(self) {
        drop(self.stop);
        self.serving.await.unwrap();
    }

    /// Sends a request as its administrator, which must succeed, and returns the body of the answer.
    pub async fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask_as("admin", Self::PASSWORD, method, path, body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    /// Sends a request as a user or a robot account, and returns the status and the body of the answer.
    pub async fn ask_as(
        &self,
        user: &str,
        password: &str,
        method: &str,
        path: &str,
        body: Value,
    ) -> (u16, Value) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let login = json!(ByteString(format!("{user}:{password}").into_bytes()));
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v2.0{path}"))
            .header("authorization", format!("Basic {}", login.as_str().unwrap_or_default()))
            .header("content-type", "application/json")
            .header("x-is-resource-name", "true")
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let Ok(answer) = self.harbor.clone().call(request).await;
        let status = answer.status().as_u16();
        let Ok(body) = answer.into_body().collect().await;
        (status, serde_json::from_slice(&body.to_bytes()).unwrap_or_default())
    }
}
