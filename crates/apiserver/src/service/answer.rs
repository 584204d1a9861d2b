//! Answers a request: authentication, authorization, dispatch.

use super::{collection, object, reply, reviews};
use crate::{
    access::{self, Authorizer, Question, User},
    body::Body,
    discovery,
    failure::Failure,
    kinds::{Origin, Resource, Verb},
    read::View,
    request::{FieldSelector, Query, Target},
    serve::ClientCertificate,
    server::Shared,
};
use bytes::Bytes;
use http::{Method, Response, StatusCode, header, request::Parts};
use std::sync::Arc;

/// An authorized request for objects of a served kind.
pub(super) struct Call {
    pub server: Arc<Shared>,
    pub resource: Arc<Resource>,
    pub namespace: Option<String>,
    pub name: Option<String>,
    pub subresource: Option<String>,
    pub query: Query,
    pub view: View,
    pub content_type: Option<String>,
    pub body: Bytes,
    pub user: User,
    /// The field manager, if the request does not name one.
    pub agent: String,
}

/// Answers a request.
pub(super) async fn answer(
    server: Arc<Shared>,
    user: Option<&User>,
    head: &Parts,
    body: Bytes,
) -> Response<Body> {
    let response = match respond(server, user, head, body).await {
        Ok(response) => response,
        Err(failure) => reply::failure(&failure),
    };
    if head.method == Method::HEAD { response.map(|_| Body::default()) } else { response }
}

async fn respond(
    server: Arc<Shared>,
    user: Option<&User>,
    head: &Parts,
    body: Bytes,
) -> Result<Response<Body>, Failure> {
    let user = authenticated(&server, user, head)?;
    let query = Query::parse(head.uri.query());
    let path = head.uri.path();
    let target = Target::parse(path);
    authorized(&server, &user, head, path, target.as_ref(), &query)?;

    let accept = text(head, header::ACCEPT);
    let Some(target) = target else {
        return about_the_server(&server, head, path, accept);
    };
    let resource = server.state().kinds.find(&target.group, &target.version, &target.plural);
    let Some(resource) = resource.filter(|resource| fits(resource, &target)) else {
        return if within_a_group(&server, path) {
            Err(no_such_resource())
        } else {
            Ok(reply::no_such_path())
        };
    };
    let call = Call {
        view: View::parse(&resource, accept, &query)?,
        server,
        resource,
        namespace: target.namespace,
        name: target.name,
        subresource: target.subresource,
        query,
        content_type: head
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned),
        body,
        user,
        agent: agent(text(head, header::USER_AGENT)),
    };
    let deprecation = call.resource.deprecation.clone();
    let answered = about_objects(call, target.watch, &head.method).await;
    Ok(match deprecation {
        Some(warning) => reply::warned(answered.unwrap_or_else(|failure| reply::failure(&failure)), &warning),
        None => answered?,
    })
}

async fn about_objects(call: Call, watches: bool, method: &Method) -> Result<Response<Body>, Failure> {
    if !call.resource.is_stored() {
        return reviews::answer(&call, method);
    }
    match (call.name.clone(), call.subresource.clone()) {
        (name, None) if watches => collection::watch_path(call, name.as_deref()),
        (None, _) => collection::answer(call, method).await,
        (Some(name), None) => object::answer(call, &name, method).await,
        (Some(name), Some(subresource)) => object::part(call, &name, &subresource, method).await,
    }
}

fn authenticated(server: &Shared, user: Option<&User>, head: &Parts) -> Result<User, Failure> {
    let state = server.state();
    let certificate = head.extensions.get::<ClientCertificate>();
    let now = server.clock.now();
    let user = match user {
        Some(user) => user.clone(),
        None => {
            access::authenticate(server.access, &head.headers, certificate, &server.tokens, &*state, now)?
        }
    };
    let authorizer = Authorizer { access: server.access, roles: &*state };
    Ok(access::impersonated(&head.headers, &user, &authorizer)?.unwrap_or(user))
}

fn authorized(
    server: &Shared,
    user: &User,
    head: &Parts,
    path: &str,
    target: Option<&Target>,
    query: &Query,
) -> Result<(), Failure> {
    let name = target.map(|target| named(&head.method, target, query)).unwrap_or_default();
    let (verb, what) = match target {
        None => (head.method.as_str().to_lowercase(), access::Target::Path(path)),
        Some(target) => (
            verb(&head.method, target, query).to_owned(),
            access::Target::Resource {
                group: &target.group,
                resource: &target.plural,
                subresource: target.subresource.as_deref().unwrap_or_default(),
                namespace: target.namespace.as_deref().unwrap_or_default(),
                name: &name,
            },
        ),
    };
    let state = server.state();
    Authorizer { access: server.access, roles: &*state }
        .authorize(user, &Question { verb: &verb, target: what })
}

/// The name of the object of a request; that of a list or a watch is in its field selector.
fn named(method: &Method, target: &Target, query: &Query) -> String {
    let selected = || {
        let selector = query.get("fieldSelector").filter(|_| matches!(method.as_str(), "GET" | "HEAD"))?;
        Some(FieldSelector::parse(selector, |_| Ok(())).ok()?.name()?.to_owned())
    };
    target.name.clone().or_else(selected).unwrap_or_default()
}

/// The verb of a request in RBAC.
fn verb(method: &Method, target: &Target, query: &Query) -> &'static str {
    let watches = target.watch || query.get("watch").is_some_and(|word| !matches!(word, "false" | "0"));
    match (method.as_str(), &target.name) {
        ("GET" | "HEAD", None) if watches => "watch",
        ("GET" | "HEAD", Some(_)) if target.watch => "watch",
        ("GET" | "HEAD", Some(_)) => "get",
        ("GET" | "HEAD", None) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", Some(_)) => "delete",
        ("DELETE", None) => "deletecollection",
        _ => "",
    }
}

/// Discovery, OpenAPI, health, version.
fn about_the_server(
    server: &Shared,
    head: &Parts,
    path: &str,
    accept: &str,
) -> Result<Response<Body>, Failure> {
    let document = discovery::respond(&server.documents(), path, head.uri.query(), accept);
    let Some(document) = document.filter(|_| head.method == Method::GET || head.method == Method::HEAD)
    else {
        return if within_a_group(server, path) {
            Err(no_such_resource())
        } else {
            Ok(reply::no_such_path())
        };
    };
    let known = document.etag.as_deref().is_some_and(|etag| text(head, header::IF_NONE_MATCH) == etag);
    let mut response = if known {
        reply::bytes(StatusCode::NOT_MODIFIED, document.content_type, Bytes::new())
    } else {
        reply::bytes(StatusCode::OK, document.content_type, document.body)
    };
    if let Some(etag) = document.etag.and_then(|etag| etag.parse().ok()) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    response.headers_mut().insert(header::VARY, http::HeaderValue::from_static("Accept"));
    Ok(response)
}

/// Whether a path is below a served group, so that its handler answers; for a custom group, below a served version.
fn within_a_group(server: &Shared, path: &str) -> bool {
    let (group, version) = match path.split('/').collect::<Vec<_>>()[..] {
        ["", "api", version, ..] => ("", version),
        ["", "apis", group, version, ..] => (group, version),
        _ => return false,
    };
    let answers = |kind: &Arc<Resource>| kind.origin == Origin::Builtin || kind.version == version;
    server.state().kinds.iter().any(|kind| kind.group == group && answers(kind))
}

/// Whether the path matches the scope of the kind: namespaced or cluster-scoped.
fn fits(resource: &Resource, target: &Target) -> bool {
    match (resource.namespaced, &target.namespace) {
        (true, Some(_)) | (false, None) => true,
        (true, None) => target.name.is_none(),
        (false, Some(_)) => false,
    }
}

fn text(head: &Parts, name: header::HeaderName) -> &str {
    head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The program's name, without its version.
fn agent(user_agent: &str) -> String {
    let name = user_agent.split('/').next().unwrap_or_default();
    let name: String = name.chars().take(128).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

/// The failure for a kind or subresource that a version does not have.
pub(super) fn no_such_resource() -> Failure {
    Failure::generic(StatusCode::NOT_FOUND, "NotFound", "the server could not find the requested resource")
}

/// The failure for a method that a kind does not support.
pub(super) fn not_allowed() -> Failure {
    Failure::generic(
        StatusCode::METHOD_NOT_ALLOWED,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
    )
}

impl Call {
    /// Ok if the kind supports the verb.
    pub fn allows(&self, verb: Verb) -> Result<(), Failure> {
        if self.resource.allows(verb) { Ok(()) } else { Err(not_allowed()) }
    }
}
