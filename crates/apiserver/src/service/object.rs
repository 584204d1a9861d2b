//! Requests for one object or a subresource.

use super::{
    answer::{Call, not_allowed},
    reply, reviews,
};
use crate::{
    admission::Operation,
    body::Body,
    failure::Failure,
    kinds::{Origin, Verb},
    protobuf::Expected,
    read::too_large,
    request::{DeleteOptions, ListOptions, Version, WriteOptions},
    state::State,
    write::{
        Document, Part, PatchFormat, Strategic, Written,
        admission::{Hooks, Request},
        deletion::{self, Deletion},
        shown_scale,
    },
};
use http::{Method, Response, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) async fn answer(call: Call, name: &str, method: &Method) -> Result<Response<Body>, Failure> {
    match method.as_str() {
        "GET" => get(&call, name).await,
        "PUT" => {
            call.allows(Verb::Update)?;
            let written = update(&call, Part::Main, name).await?;
            Ok(shown(&call, written))
        }
        "PATCH" => {
            call.allows(Verb::Patch)?;
            let written = patch(&call, Part::Main, name).await?;
            Ok(shown(&call, written))
        }
        "DELETE" => delete(&call, name).await,
        _ => Err(not_allowed()),
    }
}

/// Answers a request for a subresource.
pub(super) async fn part(
    call: Call,
    name: &str,
    subresource: &str,
    method: &Method,
) -> Result<Response<Body>, Failure> {
    let part = match subresource {
        "status" if call.resource.subresources.status => Part::Status,
        "scale" if call.resource.subresources.scale.is_some() => Part::Scale,
        "ephemeralcontainers" if call.resource.is("", "pods") => Part::EphemeralContainers,
        _ => return reviews::subresource(&call, name, subresource, method),
    };
    match (method.as_str(), part) {
        ("GET", Part::Scale) => {
            let object = call.shown(name).await?;
            Ok(reply::document(StatusCode::OK, &call.view, &scale(&call, &object)?, &[]))
        }
        ("GET", _) => get(&call, name).await,
        ("PUT", Part::Scale) => {
            let options = WriteOptions::parse(&call.query, "UpdateOptions")?;
            let scale = Expected::builtin("autoscaling", "v1", "Scale");
            let document = Document::parse(call.content_type.as_deref(), &call.body, scale)?;
            let written = call.write(part, options).update_scale(name, document).await?;
            Ok(reply::document(written.code, &call.view, &written.object, &written.warnings))
        }
        ("PATCH", Part::Scale) => {
            let options = WriteOptions::parse(&call.query, "PatchOptions")?;
            let format = PatchFormat::parse(call.content_type.as_deref(), strategic(&call))?;
            let written = call.write(part, options).patch_scale(name, format, &call.body).await?;
            Ok(reply::document(written.code, &call.view, &written.object, &written.warnings))
        }
        ("PUT", _) => {
            let written = update(&call, part, name).await?;
            Ok(shown(&call, written))
        }
        ("PATCH", _) => {
            let written = patch(&call, part, name).await?;
            Ok(shown(&call, written))
        }
        _ => Err(not_allowed()),
    }
}

async fn get(call: &Call, name: &str) -> Result<Response<Body>, Failure> {
    let options = ListOptions::parse(&call.query, true)?;
    call.allows(Verb::Get)?;
    call.view.shape.fits(false, &call.resource)?;
    let now = call.server.state().store.revision();
    if let Some(Version::NotOlderThan(wanted) | Version::Exact(wanted)) = options.version
        && wanted > now
    {
        return Err(too_large(wanted, now));
    }
    let object = call.shown(name).await?;
    Ok(shown(call, Written { code: StatusCode::OK, object, warnings: Vec::new() }))
}

async fn update(call: &Call, part: Part, name: &str) -> Result<Written, Failure> {
    let options = WriteOptions::parse(&call.query, "UpdateOptions")?;
    let document = Document::parse(call.content_type.as_deref(), &call.body, (&*call.resource).into())?;
    call.write(part, options).update(name, document).await
}

async fn patch(call: &Call, part: Part, name: &str) -> Result<Written, Failure> {
    let options = WriteOptions::parse(&call.query, "PatchOptions")?;
    let format = PatchFormat::parse(call.content_type.as_deref(), strategic(call))?;
    call.write(part, options).patch(name, format, &call.body).await
}

async fn delete(call: &Call, name: &str) -> Result<Response<Body>, Failure> {
    call.allows(Verb::Delete)?;
    let options = DeleteOptions::parse(&call.query, call.content_type.as_deref(), &call.body)?;
    call.shown(name).await?;
    if let Some(namespace) = protected(call, name) {
        let why = "this namespace may not be deleted";
        return Err(Failure::forbidden("", "namespaces", namespace, why));
    }
    let deletion = admitted_deletion(call, name, &options).await?;
    let code = if !deletion.gone && options.orphan_dependents == Some(false) {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    if deletion.gone && !returns_the_deleted(call) {
        return Ok(reply::document(code, &call.view, &success(call, name, &deletion.object), &[]));
    }
    let object = call.server.shown_one(&call.resource, &Arc::new(deletion.object)).await?;
    Ok(shown(call, Written { code, object, warnings: Vec::new() }))
}

/// Deletes an object after the webhooks allowed it.
pub(super) async fn admitted_deletion(
    call: &Call,
    name: &str,
    options: &DeleteOptions,
) -> Result<Deletion, Failure> {
    let key = State::key(&call.resource, call.namespace.as_deref(), name);
    loop {
        let stored = Arc::clone(call.server.state().get(&call.resource, &key)?);
        let live = call.server.shown_one(&call.resource, &stored).await?;
        let request = Request {
            resource: &call.resource,
            subresource: None,
            namespace: call.namespace.as_deref(),
            name,
            operation: Operation::Delete,
            user: &call.user,
            old: Some(&live),
            dry_run: options.dry_run,
        };
        if let Some(hooks) = Hooks::configured(&call.server, &request) {
            hooks.validate(&request, None).await?;
        }
        let mut state = call.server.state();
        if !Arc::ptr_eq(state.get(&call.resource, &key)?, &stored) {
            continue;
        }
        let deletion = deletion::delete(&mut state, &call.resource, &key, options, &call.server.clock)?;
        state.settle(call.server.controllers, &call.server.clock);
        return Ok(deletion);
    }
}

fn shown(call: &Call, written: Written) -> Response<Body> {
    let object = call.view.object(&call.resource, written.object, call.server.clock.now());
    reply::document(written.code, &call.view, &object, &written.warnings)
}

fn scale(call: &Call, object: &Value) -> Result<Value, Failure> {
    match &call.resource.subresources.scale {
        Some(paths) => shown_scale(&call.resource, paths, object),
        None => Ok(Value::Null),
    }
}

fn strategic(call: &Call) -> Strategic {
    match call.resource.origin {
        Origin::Builtin => Strategic::Known,
        Origin::Custom => Strategic::Unknown,
    }
}

/// The namespace, if it is one that must not be deleted.
fn protected<'a>(call: &Call, name: &'a str) -> Option<&'a str> {
    let needed = matches!(name, "default" | "kube-system" | "kube-public");
    (call.resource.is("", "namespaces") && needed).then_some(name)
}

/// Kinds whose deletion is answered with the object instead of a `Status`.
fn returns_the_deleted(call: &Call) -> bool {
    call.resource.origin == Origin::Builtin
        && matches!(
            (call.resource.group.as_str(), call.resource.plural.as_str()),
            (
                "",
                "resourcequotas"
                    | "persistentvolumes"
                    | "serviceaccounts"
                    | "persistentvolumeclaims"
                    | "namespaces"
                    | "pods"
                    | "services"
                    | "podtemplates"
            ) | ("storage.k8s.io", "storageclasses")
        )
}

fn success(call: &Call, name: &str, object: &Value) -> Value {
    let mut details = json!({"name": name, "kind": call.resource.plural, "uid": object["metadata"]["uid"]});
    if !call.resource.group.is_empty() {
        details["group"] = call.resource.group.as_str().into();
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}
