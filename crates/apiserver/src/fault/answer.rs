//! Failures as a real server reports them when it is overloaded, broken or slow.

use super::{Chances, Mishap, Question};
use crate::body::Body;
use crate::failure::Failure;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Response, StatusCode};

/// A failure that replaces the answer of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Conflict,
    TooManyRequests,
    InternalError,
    Unavailable,
    Timeout,
}

impl Answer {
    /// The failure of the request, if any.
    pub fn instead(question: &Question, chances: &Chances) -> Option<Self> {
        let possible = [
            (Self::TooManyRequests, Mishap::TooManyRequests),
            (Self::Unavailable, Mishap::Unavailable),
            (Self::InternalError, Mishap::InternalError),
            (Self::Timeout, Mishap::Timeout),
            (Self::Conflict, Mishap::Conflict),
        ];
        let updates = matches!(question.method, Method::PUT | Method::PATCH);
        possible
            .into_iter()
            .filter(|(answer, _)| updates || *answer != Self::Conflict)
            .find(|&(_, mishap)| chances.strikes(mishap, None))
            .map(|(answer, _)| answer)
    }

    /// Whether the server performed the request before it failed.
    pub fn comes_after_commit(self, chances: &Chances) -> bool {
        self == Self::Timeout && chances.detail(Mishap::Timeout, None).fraction() < 0.5
    }

    pub fn response(self, question: &Question) -> Response<Body> {
        let failure = match self {
            Self::TooManyRequests => return too_many_requests(),
            Self::Conflict => {
                let (group, plural, name) = named(&question.path);
                let why = "the object has been modified; please apply your changes to the latest version and try again";
                Failure::conflict(group, plural, name, why)
            }
            Self::InternalError => {
                let why = "etcdserver: request timed out";
                Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "", why)
            }
            Self::Unavailable => {
                let why = "the server is currently unable to handle the request";
                Failure::new(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", why)
            }
            Self::Timeout => {
                let why =
                    "Timeout: request did not complete within requested timeout - context deadline exceeded";
                Failure::new(StatusCode::GATEWAY_TIMEOUT, "Timeout", why)
            }
        };
        let mut response = Response::new(Body::full(failure.status().to_string()));
        *response.status_mut() = failure.code;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

/// The only failure that a real server reports without a Status.
fn too_many_requests() -> Response<Body> {
    let mut response = Response::new(Body::full("Too many requests, please try again later.\n"));
    *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// The group, plural and name in a path; empty where it has none.
fn named(path: &str) -> (&str, &str, &str) {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (group, rest) = match parts.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return ("", "", ""),
    };
    match rest {
        ["namespaces", _, plural, name, ..] | [plural, name, ..] => (group, plural, name),
        _ => (group, "", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_path_names_an_object() {
        assert_eq!(named("/api/v1/namespaces/a/pods/x/status"), ("", "pods", "x"));
        assert_eq!(named("/apis/apps/v1/namespaces/a/deployments/x"), ("apps", "deployments", "x"));
        assert_eq!(named("/api/v1/namespaces/a"), ("", "namespaces", "a"));
        assert_eq!(named("/healthz"), ("", "", ""));
    }
}
