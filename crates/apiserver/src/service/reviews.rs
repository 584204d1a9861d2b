//! Reviews, and the subresources that only one kind has.

use super::{
    answer::{Call, no_such_resource, not_allowed},
    log, reply,
};
use crate::{
    access::{Authorizer, Review, TokenTarget, review},
    body::Body,
    failure::Failure,
    kinds::Origin,
    protobuf::Expected,
    request::DeleteOptions,
    state::State,
    write::{Document, deletion},
};
use http::{Method, Response, StatusCode};
use serde_json::{Value, json};

/// Answers a review.
pub(super) fn answer(call: &Call, method: &Method) -> Result<Response<Body>, Failure> {
    let question = Review::of_kind(&call.resource.kind).filter(|_| method == Method::POST);
    let (Some(question), None) = (question, &call.name) else { return Err(not_allowed()) };
    let object = Document::parse(call.content_type.as_deref(), &call.body, (&*call.resource).into())?.object;
    let state = call.server.state();
    let authorizer = Authorizer { access: call.server.access, roles: &*state };
    let namespace = call.namespace.as_deref().unwrap_or_default();
    let subjects = (&call.server.tokens, &*state as &dyn crate::access::ServiceAccounts);
    let now = call.server.clock.now();
    let answered = review(question, namespace, &object, &call.user, &authorizer, subjects, now)?;
    Ok(reply::document(StatusCode::CREATED, &call.view, &answered, &[]))
}

/// Answers a request for a subresource that only one kind has.
pub(super) fn subresource(
    call: &Call,
    name: &str,
    subresource: &str,
    method: &Method,
) -> Result<Response<Body>, Failure> {
    let extra = call.resource.subresources.extra.iter().find(|extra| extra.name == subresource);
    let expected = extra.map_or_else(
        || (&*call.resource).into(),
        |extra| {
            let (group, version) = extra.foreign.unwrap_or((&call.resource.group, &call.resource.version));
            Expected::builtin(group, version, extra.kind)
        },
    );
    let object = || -> Result<Value, Failure> {
        Ok(Document::parse(call.content_type.as_deref(), &call.body, expected)?.object)
    };
    match (call.resource.plural.as_str(), subresource, method.as_str()) {
        ("serviceaccounts", "token", "POST") => token(call, name, &object()?),
        ("pods", "eviction", "POST") => evict(call, name, &object()?),
        ("pods", "log", "GET") => log::answer(call, name),
        ("pods", "binding", "POST") => bind(call, name, &object()?),
        ("namespaces", "finalize", "PUT") => finalize(call, name),
        _ if call.resource.origin == Origin::Custom => {
            Err(Failure::not_found(&call.resource.group, &call.resource.plural, name))
        }
        _ => Err(no_such_resource()),
    }
}

fn token(call: &Call, name: &str, request: &Value) -> Result<Response<Body>, Failure> {
    let state = call.server.state();
    let target = TokenTarget { namespace: call.namespace.as_deref().unwrap_or_default(), name };
    let issued = call.server.tokens.issue(target, request, &*state, call.server.clock.now())?;
    Ok(reply::document(StatusCode::CREATED, &call.view, &issued, &[]))
}

fn evict(call: &Call, name: &str, eviction: &Value) -> Result<Response<Body>, Failure> {
    let options = serde_json::to_vec(&eviction["deleteOptions"]).unwrap_or_default();
    let options = if eviction["deleteOptions"].is_null() { &[][..] } else { &options };
    let options = DeleteOptions::parse(&call.query, None, options)?;
    let key = State::key(&call.resource, call.namespace.as_deref(), name);
    let mut state = call.server.state();
    deletion::delete(&mut state, &call.resource, &key, &options, &call.server.clock)?;
    state.settle(call.server.controllers, &call.server.clock);
    Ok(reply::document(StatusCode::CREATED, &call.view, &success(), &[]))
}

fn bind(call: &Call, name: &str, binding: &Value) -> Result<Response<Body>, Failure> {
    let key = State::key(&call.resource, call.namespace.as_deref(), name);
    let mut state = call.server.state();
    let mut pod = Value::clone(state.get(&call.resource, &key)?);
    if let Some(node) = pod["spec"]["nodeName"].as_str() {
        let why = format!("pod {name} is already assigned to node {node:?}");
        return Err(Failure::conflict("", "pods/binding", name, &why));
    }
    pod["spec"]["nodeName"] = binding["target"]["name"].clone();
    state.commit(&key, Some(pod));
    state.settle(call.server.controllers, &call.server.clock);
    Ok(reply::document(StatusCode::CREATED, &call.view, &success(), &[]))
}

/// Removes the finalizer of a namespace, because the client says that it is empty.
fn finalize(call: &Call, name: &str) -> Result<Response<Body>, Failure> {
    let document = Document::parse(call.content_type.as_deref(), &call.body, (&*call.resource).into())?;
    let wanted = document.object["spec"]["finalizers"].clone();
    let key = State::key(&call.resource, None, name);
    let mut state = call.server.state();
    let mut namespace = Value::clone(state.get(&call.resource, &key)?);
    namespace["spec"] = match wanted.as_array() {
        Some(names) if !names.is_empty() => json!({"finalizers": wanted}),
        _ => json!({}),
    };
    let gone = deletion::may_go(&namespace);
    let change = state.commit(&key, (!gone).then(|| namespace.clone()));
    state.settle(call.server.controllers, &call.server.clock);
    let shown = change.after.map_or(namespace, |after| Value::clone(&after));
    Ok(reply::document(StatusCode::OK, &call.view, &shown, &[]))
}

fn success() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})
}
