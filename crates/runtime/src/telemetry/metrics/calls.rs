//! Metrics and traces of all requests to the API server.

use super::{Durations, Metrics, durations};
use http::{Method, Request, Response, header::CONTENT_TYPE};
use kube::{Client, client::Body};
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder},
    metrics::{counter::Counter, family::Family},
    registry::{Registry, Unit},
};
use std::{
    fmt::{self, Write as _},
    sync::Arc,
};
use tokio::time::Instant;
use tracing::{Instrument as _, Span, field::Empty};

/// The verb of a request, as RBAC names it, except that an apply is not a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Verb {
    /// Reads one object.
    Get,
    /// Lists objects of a kind.
    List,
    /// Watches objects of a kind.
    Watch,
    /// Creates an object.
    Create,
    /// Server-side apply.
    Apply,
    /// Any other patch.
    Patch,
    /// Replaces an object.
    Update,
    /// Deletes an object.
    Delete,
    /// Deletes all objects of a kind.
    DeleteCollection,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Apply => "apply",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        })
    }
}

impl EncodeLabelValue for Verb {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        write!(encoder, "{self}")
    }
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Answer {
    /// A status of this hundred.
    Status(u16),
    /// No answer.
    None,
}

impl EncodeLabelValue for Answer {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Status(hundred) => write!(encoder, "{hundred}xx"),
            Self::None => encoder.write_str("none"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    verb: Verb,
    resource: String,
    status: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfVerb {
    verb: Verb,
}

#[derive(Debug)]
pub(super) struct Families {
    requests: Family<Call, Counter>,
    durations: Durations<OfVerb>,
}

impl Families {
    pub(super) fn registered(registry: &mut Registry) -> Self {
        let families =
            Self { requests: Family::default(), durations: Family::new_with_constructor(durations) };
        registry.register(
            "api_requests",
            "Requests to the API server, by verb, by resource as RBAC spells it, and by the hundred of the status",
            families.requests.clone(),
        );
        registry.register_with_unit(
            "api_request_duration",
            "How long the API server took to begin its answer, by verb",
            Unit::Seconds,
            families.durations.clone(),
        );
        families
    }
}

impl Metrics {
    /// The same client with every request counted, and traced where it is part of a reconcile.
    pub fn observe(self: &Arc<Self>, client: Client) -> Client {
        let (namespace, valid_until) = (client.default_namespace().to_owned(), *client.valid_until());
        let metrics = Arc::clone(self);
        let counted = tower::service_fn(move |request: Request<Body>| {
            // Not inside the future: the current span is the caller's only here.
            let (verb, resource) = route(&request);
            let span = span(verb, &resource, &request);
            let (metrics, client) = (Arc::clone(&metrics), client.clone());
            async move {
                let began = Instant::now();
                let answer = client.send(request).await;
                metrics
                    .calls
                    .durations
                    .get_or_create(&OfVerb { verb })
                    .observe(began.elapsed().as_secs_f64());
                let status = answer_of(&answer);
                metrics.calls.requests.get_or_create(&Call { verb, resource, status }).inc();
                answer
            }
            .instrument(span)
        });
        Client::new(counted, namespace).with_valid_until(valid_until)
    }
}

fn answer_of(answer: &kube::Result<Response<Body>>) -> Answer {
    let span = Span::current();
    let status = answer.as_ref().ok().map(|answer| answer.status().as_u16());
    if status.is_none_or(|status| status >= 400) {
        span.record("otel.status_code", "ERROR");
    }
    let Some(status) = status else { return Answer::None };
    span.record("http.response.status_code", status);
    Answer::Status(status / 100)
}

/// A span for a request of a reconcile. Requests without a parent span, such as watches, get none, because each would
/// be a trace of its own.
fn span(verb: Verb, resource: &str, request: &Request<Body>) -> Span {
    if Span::current().is_none() {
        return Span::none();
    }
    tracing::debug_span!(
        "request",
        otel.name = format!("{verb} {resource}"),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = request.method().as_str(),
        url.path = request.uri().path(),
        http.response.status_code = Empty,
    )
}

/// The verb and the resource of a request.
fn route(request: &Request<Body>) -> (Verb, String) {
    let mut path = request.uri().path().split('/').skip(1);
    let group = match path.next() {
        Some("api") => Some(""),
        Some("apis") => path.next(),
        _ => None,
    };
    let mut rest: Vec<_> = path.skip(1).collect();
    if let ["namespaces", _, _, ..] = rest.as_slice() {
        rest.drain(..2);
    }
    let (Some(group), [plural, name @ ..]) = (group, rest.as_slice()) else {
        return (verb(request, Named::One), "none".into());
    };
    let mut resource = match group {
        "" => (*plural).to_owned(),
        group => format!("{plural}.{group}"),
    };
    if let [_, part, ..] = name {
        resource = format!("{resource}/{part}");
    }
    (verb(request, if name.is_empty() { Named::All } else { Named::One }), resource)
}

/// Whether a path names an object or all objects of a kind.
#[derive(Clone, Copy)]
enum Named {
    One,
    All,
}

fn verb(request: &Request<Body>, named: Named) -> Verb {
    let is_watch =
        || request.uri().query().is_some_and(|query| query.split('&').any(|it| it == "watch=true"));
    let is_apply = || {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with("application/apply-patch"))
    };
    match (request.method(), named) {
        (&Method::POST, _) => Verb::Create,
        (&Method::PUT, _) => Verb::Update,
        (&Method::PATCH, _) if is_apply() => Verb::Apply,
        (&Method::PATCH, _) => Verb::Patch,
        (&Method::DELETE, Named::One) => Verb::Delete,
        (&Method::DELETE, Named::All) => Verb::DeleteCollection,
        (_, Named::All) if is_watch() => Verb::Watch,
        (_, Named::All) => Verb::List,
        (_, Named::One) => Verb::Get,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(method: Method, uri: &str, kind: &str) -> String {
        let request = Request::builder().method(method).uri(uri).header(CONTENT_TYPE, kind);
        let (verb, resource) = route(&request.body(Body::empty()).unwrap());
        format!("{verb} {resource}")
    }

    #[test]
    fn requests_have_the_names_of_rbac_and_no_object_names() {
        let json = "application/json";
        let cases = [
            (Method::GET, "/apis/apps/v1/deployments?&watch=true&x=1", json, "watch deployments.apps"),
            (Method::GET, "/apis/apps/v1/namespaces/a/deployments?limit=50", json, "list deployments.apps"),
            (Method::GET, "/api/v1/namespaces/a/secrets/b", json, "get secrets"),
            (Method::GET, "/api/v1/namespaces/a", json, "get namespaces"),
            (Method::GET, "/api/v1/namespaces", json, "list namespaces"),
            (Method::POST, "/api/v1/namespaces/a/secrets", json, "create secrets"),
            (
                Method::PUT,
                "/apis/coordination.k8s.io/v1/namespaces/a/leases/b",
                json,
                "update leases.coordination.k8s.io",
            ),
            (
                Method::PATCH,
                "/apis/goharbor.io/v1beta1/namespaces/a/harbors/b/status?force=true",
                "application/apply-patch+yaml",
                "apply harbors.goharbor.io/status",
            ),
            (Method::PATCH, "/api/v1/namespaces/a/secrets/b", "application/json-patch+json", "patch secrets"),
            (Method::DELETE, "/api/v1/namespaces/a/secrets/b", json, "delete secrets"),
            (Method::DELETE, "/api/v1/namespaces/a/secrets", json, "deletecollection secrets"),
            (Method::GET, "/version", json, "get none"),
        ];
        for (method, uri, kind, expected) in cases {
            assert_eq!(routed(method, uri, kind), expected, "{uri}");
        }
    }
}
