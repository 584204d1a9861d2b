//! Protection against forged requests of browsers.
//!
//! A request with the cookie `sid` comes from a browser, whatever its value and whatever else the request carries.
//! Requests outside the API always need the token.

use super::{
    received::Received,
    reply::{Content, Reply, Session},
};
use crate::{
    entropy::{Entropy, hex},
    failure::Failure,
};
use http::{HeaderName, Method, header::SET_COOKIE};
use jiff::{Timestamp, ToSpan as _};

const TOKEN: HeaderName = HeaderName::from_static("x-harbor-csrf-token");
const COOKIE: &str = "_gorilla_csrf";

/// What a request outside or inside of the API gets.
pub(crate) enum Protection {
    /// The request does not come from a browser.
    Skipped,
    /// The request may go on; the answer carries a token.
    Passed(String),
    /// The request is refused, with the token that it lacks.
    Refused(Reply),
}

/// Whether a request may go on.
pub(crate) fn check(request: &Received, entropy: &mut dyn Entropy, now: Timestamp) -> Protection {
    let skipped = ["/api/", "/v2/", "/service/"].iter().any(|prefix| request.path.starts_with(prefix));
    if (skipped || request.path == "/v2") && request.cookie("sid").is_none() {
        return Protection::Skipped;
    }
    let safe = [Method::GET, Method::HEAD, Method::OPTIONS, Method::TRACE].contains(&request.method);
    let known = request.cookie(COOKIE).filter(|token| request.header(TOKEN.as_str()) == Some(*token));
    if safe || known.is_some() {
        return Protection::Passed(known.map_or_else(|| hex(entropy, 64), str::to_owned));
    }
    let token = hex(entropy, 64);
    let expires = now.checked_add(12.hours()).unwrap_or(now).strftime("%a, %d %b %Y %H:%M:%S GMT");
    let failure = Failure::forbidden("CSRF token invalid");
    let mut reply = Reply::refusal(&failure, false).holding(Content::Utf8Json(failure.body()));
    reply.session = Session::NotYet;
    Protection::Refused(reply.with(TOKEN, token.clone()).with(
        SET_COOKIE,
        format!("{COOKIE}={token}; Path=/; Expires={expires}; Max-Age=43200; HttpOnly; SameSite=Strict"),
    ))
}

impl Protection {
    /// An answer with the token that the request earned.
    pub fn seal(token: Option<String>, reply: Reply) -> Reply {
        match token {
            Some(token) => reply.with(TOKEN, token),
            None => reply,
        }
    }
}
