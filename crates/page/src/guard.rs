//! Checks of every request, its deadline, and the headers of every answer.

use crate::Page;
use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, uri::Authority};
use std::{net::IpAddr, sync::Arc, time::Duration};

/// How long the start of an answer may take.
const DEADLINE: Duration = Duration::from_secs(15);

/// Where clients are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// On this machine, or behind a port forward to it. The `Host` must name this machine, too: otherwise another site's
    /// page could read this one, with a DNS name that resolves to this machine.
    Machine,
    /// Anywhere on the network.
    Network,
}

impl Reach {
    /// The reach of a server on this address.
    pub fn of(address: IpAddr) -> Self {
        if address.is_loopback() { Self::Machine } else { Self::Network }
    }
}

const HEADERS: [(HeaderName, HeaderValue); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// The routes, behind all checks.
pub(crate) fn guarded(routes: Router, reach: Reach, page: Arc<Page>) -> Router {
    let guard = move |request: Request, next: Next| {
        let page = Arc::clone(&page);
        async move {
            let mut response = match refusal(&request, reach) {
                Some(refusal) => refusal,
                None => in_time(&page, request, next).await,
            };
            response.headers_mut().extend(HEADERS);
            response
        }
    };
    routes.layer(middleware::from_fn(guard))
}

fn refusal(request: &Request, reach: Reach) -> Option<Response> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allow = [(header::ALLOW, "GET, HEAD")];
        return Some((StatusCode::METHOD_NOT_ALLOWED, allow, "this page is read-only\n").into_response());
    }
    if reach == Reach::Machine && !names_this_machine(request.headers()) {
        let problem =
            "this page is served on the loopback address; use http://127.0.0.1 or http://localhost\n";
        return Some((StatusCode::FORBIDDEN, problem).into_response());
    }
    None
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(authority) = Authority::try_from(host.as_bytes()) else { return false };
    let host = authority.host();
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The answer, unless there are too many requests.
async fn in_time(page: &Page, request: Request, next: Next) -> Response {
    let answer = async {
        // Never closed: the semaphore lives as long as the page.
        let _permit = page.requests.acquire().await;
        next.run(request).await
    };
    let busy =
        || (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], "too busy\n").into_response();
    tokio::time::timeout(DEADLINE, answer).await.unwrap_or_else(|_elapsed| busy())
}
