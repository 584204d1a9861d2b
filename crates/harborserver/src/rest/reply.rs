//! Answers.

use crate::failure::{Cause, Failure};
use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE},
};
use http_body_util::Full;
use serde_json::Value;

/// An answer.
pub(crate) struct Reply {
    pub status: StatusCode,
    headers: Vec<(HeaderName, String)>,
    content: Content,
    /// Whether a session cookie may go with it.
    pub session: Session,
}

/// Whether an answer comes from within a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Session {
    Begun,
    NotYet,
}

/// What an answer holds.
pub(crate) enum Content {
    Nothing,
    /// No body, but the type of one.
    NoJson,
    Json(Value),
    /// JSON whose type names a character set: refusals, and answers from outside the API.
    Utf8Json(Value),
    Text(String),
    /// Text with a character set, from handlers outside the API.
    PlainText(String),
    Page(String),
}

impl Reply {
    pub fn new(status: StatusCode, content: Content) -> Self {
        Self { status, headers: Vec::new(), content, session: Session::Begun }
    }

    /// 200 without a body.
    pub fn done() -> Self {
        Self::new(StatusCode::OK, Content::Nothing)
    }

    pub fn json(value: impl Into<Value>) -> Self {
        Self::new(StatusCode::OK, Content::Json(value.into()))
    }

    /// JSON, or nothing where there is nothing.
    pub fn maybe(value: Option<impl Into<Value>>) -> Self {
        value.map_or_else(|| Self::new(StatusCode::OK, Content::NoJson), Self::json)
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, Content::Text(text.into()))
    }

    /// 201, and where the new object is.
    pub fn created(location: impl Into<String>) -> Self {
        Self::new(StatusCode::CREATED, Content::Nothing).with(LOCATION, location)
    }

    pub fn with(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same answer with this content.
    pub fn holding(mut self, content: Content) -> Self {
        self.content = content;
        self
    }

    /// A refusal. Those of the generated code ask strangers for credentials.
    pub fn refusal(failure: &Failure, anonymous: bool) -> Self {
        let content = match failure.cause() {
            Cause::Panic => Content::Nothing,
            Cause::Handler | Cause::Parameters | Cause::Filter => Content::Utf8Json(failure.body()),
        };
        let mut reply = Self::new(failure.status, content);
        if failure.cause() == Cause::Filter {
            reply.session = Session::NotYet;
        }
        if failure.cause() == Cause::Parameters && anonymous {
            reply = reply.with(WWW_AUTHENTICATE, "Basic realm=\"API\"");
        }
        reply
    }

    /// The response; a HEAD has the headers only.
    pub fn into_response(self, head: bool) -> Response<Full<Bytes>> {
        let (content_type, body) = match self.content {
            Content::Nothing => (None, String::new()),
            Content::NoJson => (Some("application/json"), String::new()),
            Content::Json(value) => (Some("application/json"), format!("{value}\n")),
            Content::Utf8Json(value) => (Some("application/json; charset=utf-8"), format!("{value}\n")),
            Content::Text(text) => (Some("text/plain"), text),
            Content::PlainText(text) => (Some("text/plain; charset=utf-8"), text),
            Content::Page(text) => (Some("text/html; charset=utf-8"), text),
        };
        let mut response = Response::new(Full::new(if head { Bytes::new() } else { Bytes::from(body) }));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(content_type) = content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        for (name, value) in self.headers {
            // What was sent and is echoed may hold what a header cannot.
            if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
                headers.append(name, value);
            }
        }
        response
    }
}
