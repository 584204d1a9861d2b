//! The HTTP client that sends batches of spans to the collector.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use opentelemetry_http::HttpError;
use runtime::with_sources;
use rustls::ClientConfig;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::{runtime::Handle, time::timeout};

/// How long sending a batch may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Longest answer that is read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Sends from the exporter's thread, on the runtime of the operator.
#[derive(Debug)]
pub(super) struct HttpClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    runtime: Handle,
    /// Whether the last batch was lost, which is logged once.
    failing: AtomicBool,
}

impl HttpClient {
    pub(super) fn new(tls: ClientConfig) -> Self {
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            runtime: Handle::current(),
            failing: AtomicBool::new(false),
        }
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let send = async move {
            let (head, body) = client.request(request.map(Full::new)).await?.into_parts();
            let body = Limited::new(body, LONGEST_ANSWER).collect().await?.to_bytes();
            Ok(Response::from_parts(head, body))
        };
        // The timeout is there, too: the exporter's thread has no timers.
        self.runtime.spawn(async move { timeout(TIMEOUT, send).await? }).await?
    }

    fn log_failure(&self, answer: &Result<Response<Bytes>, HttpError>) {
        let problem = match answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(answer.status().to_string()),
            Err(error) => Some(with_sources(&**error)),
        };
        match (problem, self.failing.load(Ordering::Relaxed)) {
            (Some(problem), false) => tracing::warn!(problem, "cannot send traces"),
            (Some(problem), true) => tracing::debug!(problem, "cannot send traces"),
            (None, true) => tracing::info!("traces are sent again"),
            (None, false) => {}
        }
    }
}

#[async_trait::async_trait]
impl opentelemetry_http::HttpClient for HttpClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.send(request).await;
        self.log_failure(&answer);
        let failed = !answer.as_ref().is_ok_and(|answer| answer.status().is_success());
        self.failing.store(failed, Ordering::Relaxed);
        answer
    }
}
