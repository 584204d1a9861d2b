//! A request whose body has arrived.

use super::path::clean;
use bytes::Bytes;
use http::{HeaderMap, Method, header::COOKIE, request::Parts};

/// A request whose body has arrived.
pub(crate) struct Received {
    pub method: Method,
    /// Cleaned, but still escaped.
    pub path: String,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Received {
    pub fn new(head: &Parts, body: Bytes) -> Self {
        let query = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
        Self {
            method: head.method.clone(),
            path: clean(head.uri.path()),
            query: query.into_owned().collect(),
            headers: head.headers.clone(),
            body,
        }
    }

    /// The first header of this name, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Whether a header says `true`.
    pub fn asks(&self, name: &str) -> bool {
        self.header(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let headers = self.headers.get_all(COOKIE).into_iter();
        headers
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
    }

    /// The last value of a query parameter, as the generated code takes it.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().rev().find_map(|(key, value)| (key == name).then_some(value.as_str()))
    }
}
