//! A server in memory that does what a test says, and remembers what it was asked.

use crate::{Address, Credentials, Harbor, Limits};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, header::AUTHORIZATION};
use http_body::{Body, Frame};
use http_body_util::Full;
use serde_json::{Value, json};
use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, sleep};
use tower::{BoxError, service_fn};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// It answers with this status, these headers and this body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// It takes its time first.
    After(Duration, Box<Act>),
    /// It begins an answer and does not end it.
    Stall,
    /// It sends more and more.
    Flood,
    /// It breaks the connection.
    Break,
}

impl Act {
    pub(crate) fn json(body: Value) -> Self {
        Self::Answer(200, Vec::new(), body.to_string())
    }

    pub(crate) fn status(status: u16) -> Self {
        let body = json!({"errors": [{"code": "ANY", "message": format!("status {status}")}]});
        Self::Answer(status, Vec::new(), body.to_string())
    }

    pub(crate) fn created(location: &str) -> Self {
        Self::Answer(201, vec![("location", location.to_owned())], String::new())
    }

    pub(crate) fn after(self, time: Duration) -> Self {
        Self::After(time, Box::new(self))
    }
}

/// What the server was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// When, since the test began.
    pub(crate) at: Duration,
    pub(crate) method: Method,
    /// Path and query below `/api/v2.0`.
    pub(crate) path: String,
    /// The user name and the password.
    pub(crate) user: Option<String>,
    pub(crate) headers: HeaderMap,
}

impl Asked {
    /// Method and path.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// Everything that a server was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<Asked>>>);

impl Log {
    pub(crate) fn all(&self) -> Vec<Asked> {
        self.0.lock().unwrap().clone()
    }

    /// Methods and paths, and forgets them.
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.lock().unwrap().drain(..).map(|asked| asked.line()).collect()
    }
}

/// A client of a server in memory.
pub(crate) fn harbor<F>(act: F) -> (Harbor, Log)
where
    F: Fn(&Asked) -> Act + Clone + Send + Sync + 'static,
{
    with_limits(Limits::DEFAULT, act)
}

pub(crate) fn with_limits<F>(limits: Limits, act: F) -> (Harbor, Log)
where
    F: Fn(&Asked) -> Act + Clone + Send + Sync + 'static,
{
    let log = Log::default();
    let (began, written) = (Instant::now(), log.clone());
    let service = service_fn(move |request: Request<Full<Bytes>>| {
        let asked = Asked {
            at: began.elapsed(),
            method: request.method().clone(),
            path: path(&request),
            user: user(request.headers()),
            headers: request.headers().clone(),
        };
        written.0.lock().unwrap().push(asked.clone());
        perform(act(&asked))
    });
    let address: Address = "http://core.example.com".parse().unwrap();
    (Harbor::over(service, address, Credentials::new("admin", "Harbor12345"), limits), log)
}

fn path(request: &Request<Full<Bytes>>) -> String {
    let path = request.uri().path_and_query().unwrap().as_str();
    path.strip_prefix("/api/v2.0").unwrap().to_owned()
}

fn user(headers: &HeaderMap) -> Option<String> {
    let basic = headers.get(AUTHORIZATION)?.to_str().unwrap().strip_prefix("Basic ").unwrap().to_owned();
    Some(String::from_utf8(BASE64_STANDARD.decode(basic).unwrap()).unwrap())
}

async fn perform(mut act: Act) -> Result<Response<Content>, BoxError> {
    while let Act::After(time, next) = act {
        sleep(time).await;
        act = *next;
    }
    let response = Response::builder();
    match act {
        Act::Answer(status, headers, body) => {
            let response = response.status(status);
            let response =
                headers.into_iter().fold(response, |response, (name, value)| response.header(name, value));
            Ok(response.body(Content::Whole(Some(body.into())))?)
        }
        Act::Stall => Ok(response.body(Content::Stalled)?),
        Act::Flood => Ok(response.body(Content::Endless)?),
        Act::Break => Err(io::Error::from(io::ErrorKind::ConnectionReset).into()),
        Act::After(..) => unreachable!("waited for above"),
    }
}

/// The body of an answer.
enum Content {
    Whole(Option<Bytes>),
    Stalled,
    Endless,
}

impl Body for Content {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut *self {
            Self::Whole(body) => Poll::Ready(body.take().map(|body| Ok(Frame::data(body)))),
            Self::Stalled => Poll::Pending,
            Self::Endless => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 16384]))))),
        }
    }
}
