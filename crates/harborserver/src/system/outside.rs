//! Paths outside the API: tokens for the registry, the login page, and what does not exist.

use crate::{
    access::Identity,
    clock::seconds,
    entropy::hex,
    failure::Failure,
    rest::{Content, Received, Reply, Session},
    state::{Data, Runtime},
    system::Broken,
};
use http::{
    HeaderName, Method, StatusCode,
    header::{SET_COOKIE, WWW_AUTHENTICATE},
};
use jiff::Timestamp;
use serde_json::json;

const MISSING: &str = "<!DOCTYPE HTML>\n<html>\n<head><title>404 - Page Not Found</title></head>\n\
                       <body>404 Page Not Found</body>\n</html>\n";

/// The answer to a request outside the API.
pub(crate) fn outside(
    request: &Received,
    data: &Data,
    runtime: &mut Runtime,
    identity: &Identity,
    now: Timestamp,
) -> Reply {
    match request.path.as_str() {
        "/service/token" => token(request, data, runtime, identity, now),
        "/v2" => registry(runtime, identity),
        path if path.starts_with("/v2/") => manifest(path, request, data, runtime, identity),
        "/c/log_out" if request.method == Method::GET => log_out(runtime, now),
        _ => Reply::new(StatusCode::NOT_FOUND, Content::Page(MISSING.to_owned())),
    }
}

/// Every caller gets a token. The stand-in does not encode the granted scope.
fn token(
    request: &Received,
    data: &Data,
    runtime: &mut Runtime,
    identity: &Identity,
    now: Timestamp,
) -> Reply {
    if request.method != Method::GET {
        return Reply::new(
            StatusCode::METHOD_NOT_ALLOWED,
            Content::PlainText("Method Not Allowed\n".to_owned()),
        );
    }
    let minutes = data.configuration.number("token_expiration", now);
    // Up to 2.8, 0 can be set, and then no token can be made.
    if minutes <= 0 {
        return Reply::refusal(&Failure::panic(), false);
    }
    let token = hex(&mut *runtime.entropy, 64);
    let is_signed = !runtime.broken.contains(&Broken::Signatures);
    runtime.tokens.insert(token.clone(), identity.clone());
    Reply::new(
        StatusCode::OK,
        Content::Utf8Json(json!({
            "token": if is_signed { token } else { String::new() },
            "access_token": "",
            "expires_in": minutes.saturating_mul(60),
            "issued_at": seconds(now),
        })),
    )
}

/// Whether there is a manifest, which Core asks the registry for.
fn manifest(path: &str, request: &Received, data: &Data, runtime: &Runtime, identity: &Identity) -> Reply {
    let missing = || {
        let failure = Failure::not_found("this Harbor has no registry behind it");
        Reply::refusal(&failure, false)
    };
    let named = path.strip_prefix("/v2/").and_then(|path| path.split_once("/manifests/"));
    let Some((repository, digest)) = named.filter(|_| request.method == Method::HEAD) else {
        return missing();
    };
    // Core passes on that the registry refuses it.
    if identity.is_anonymous() || runtime.broken.contains(&Broken::RegistryLogin) {
        return registry(runtime, &Identity::Anonymous);
    }
    let repositories = &data.repositories;
    let found = repositories.find(|found| found.name == repository).map(|(id, _)| id);
    let has =
        |id| data.artifacts.find(|artifact| artifact.repository == id && artifact.digest == digest).is_some();
    if found.is_some_and(has) { Reply::done() } else { missing() }
}

/// Ends a session by a cookie that has expired.
fn log_out(runtime: &mut Runtime, now: Timestamp) -> Reply {
    let session = hex(&mut *runtime.entropy, 32);
    let expires = now.strftime("%a, %d %b %Y %H:%M:%S GMT");
    let cookie = format!("sid={session}; Path=/; Expires={expires}; Max-Age=0; HttpOnly");
    let mut reply = Reply::done().with(SET_COOKIE, cookie);
    reply.session = Session::NotYet;
    reply
}

/// The entrance of the registry, which tells clients where to get a token.
fn registry(runtime: &Runtime, identity: &Identity) -> Reply {
    let reply = if identity.is_anonymous() {
        let realm = format!("{}/service/token", runtime.installation.external_url);
        let errors =
            json!({ "errors": [{ "code": "UNAUTHORIZED", "message": "unauthorized: unauthorized" }] });
        Reply::new(StatusCode::UNAUTHORIZED, Content::Utf8Json(errors))
            .with(WWW_AUTHENTICATE, format!("Bearer realm=\"{realm}\",service=\"harbor-registry\""))
    } else {
        Reply::new(StatusCode::OK, Content::Utf8Json(json!({})))
    };
    reply.with(HeaderName::from_static("docker-distribution-api-version"), "registry/2.0")
}
