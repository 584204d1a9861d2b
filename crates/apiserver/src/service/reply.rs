//! Responses in the format of kube-apiserver.

use crate::{body::Body, failure::Failure, read::View};
use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WARNING},
};
use serde_json::Value;

/// A document in the requested form.
pub(super) fn document(
    code: StatusCode,
    view: &View,
    document: &Value,
    warnings: &[String],
) -> Response<Body> {
    let mut response = bytes(code, view.format.content_type(), view.format.written(document));
    for value in warnings.iter().filter_map(|warning| header(warning)) {
        response.headers_mut().append(WARNING, value);
    }
    response
}

/// The response with another warning before all others.
pub(super) fn warned(mut response: Response<Body>, warning: &str) -> Response<Body> {
    let headers = response.headers_mut();
    let others: Vec<HeaderValue> = headers.get_all(WARNING).iter().cloned().collect();
    headers.remove(WARNING);
    for value in header(warning).into_iter().chain(others) {
        headers.append(WARNING, value);
    }
    response
}

fn header(warning: &str) -> Option<HeaderValue> {
    let text = warning.replace('\\', "\\\\").replace('"', "\\\"");
    HeaderValue::from_str(&format!("299 - \"{text}\"")).ok()
}

/// A failure as a `Status`.
pub(super) fn failure(failure: &Failure) -> Response<Body> {
    // Writing JSON into memory cannot fail.
    let mut body = serde_json::to_vec(&failure.status()).unwrap_or_default();
    body.push(b'\n');
    let mut response = bytes(failure.code, "application/json", body.into());
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// The answer to a path that is not served.
pub(super) fn no_such_path() -> Response<Body> {
    bytes(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", Bytes::from_static(b"404 page not found\n"))
}

/// Bytes of a media type.
pub(super) fn bytes(code: StatusCode, content_type: &str, bytes: Bytes) -> Response<Body> {
    with_head(code, content_type, Body::full(bytes))
}

/// A body of a media type, whole or a stream.
pub(super) fn with_head(code: StatusCode, content_type: &str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    if let Ok(value) = HeaderValue::from_str(content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    response
}
