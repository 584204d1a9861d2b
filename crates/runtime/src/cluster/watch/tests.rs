use super::*;
use crate::Options;
use http::{Request, Response};
use k8s_openapi::api::core::v1::Secret;
use kube::client::Body;
use plan::Children;
use serde_json::{Map, Value, json};
use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};
use tokio_util::sync::CancellationToken;

const SECRETS: usize = 10_000;

/// One in this many has as much metadata as the API server takes.
const HOSTILE: usize = 500;

/// How a list was asked for.
#[derive(Default)]
struct Asked {
    pages: usize,
    largest: usize,
}

fn secret(number: usize) -> Value {
    let fields = if number.is_multiple_of(HOSTILE) { 60_000 } else { 5 };
    let managed: Map<String, Value> =
        (0..fields).map(|field| (format!("f:key-{field}"), json!({}))).collect();
    json!({"metadata": {
        "name": format!("secret-{number}"), "namespace": "neighbour", "uid": format!("uid-{number}"),
        "resourceVersion": "1", "annotations": {"note": "x".repeat(100)},
        "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:data": managed}}],
    }})
}

/// A cluster full of Secrets that are not ours, made up as they are asked for.
async fn answer(request: Request<Body>, asked: Arc<Mutex<Asked>>) -> Result<Response<Body>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    if query.contains("sendInitialEvents") {
        return Ok(refused());
    }
    if query.contains("labelSelector") {
        return Ok(no_children());
    }
    let accepted = request.headers().get("accept").and_then(|it| it.to_str().ok()).unwrap_or_default();
    assert!(accepted.contains("PartialObjectMetadata"), "the content of Secrets was asked for: {accepted}");
    let parameter = |name: &str| {
        query
            .split('&')
            .filter_map(|it| it.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    };
    if parameter("watch").is_some() {
        std::future::pending::<()>().await;
    }
    let limit: usize =
        parameter("limit").and_then(|limit| limit.parse().ok()).expect("a list without a limit");
    let from: usize = parameter("continue").and_then(|token| token.parse().ok()).unwrap_or_default();
    let to = (from + limit).min(SECRETS);
    let mut metadata = json!({"resourceVersion": "1"});
    if to < SECRETS {
        metadata["continue"] = to.to_string().into();
    }
    let items: Vec<Value> = (from..to).map(secret).collect();
    let list = json!({
        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "metadata": metadata, "items": items,
    });
    let body = list.to_string().into_bytes();
    let mut asked = asked.lock().unwrap();
    asked.pages += 1;
    asked.largest = asked.largest.max(body.len());
    Ok(Response::new(Body::from(body)))
}

/// An API server that does not stream lists.
fn refused() -> Response<Body> {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422,
        "message": "sendInitialEvents is forbidden for watch",
    });
    let mut response = Response::new(Body::from(status.to_string().into_bytes()));
    *response.status_mut() = http::StatusCode::UNPROCESSABLE_ENTITY;
    response
}

fn no_children() -> Response<Body> {
    let list =
        json!({"apiVersion": "v1", "kind": "SecretList", "metadata": {"resourceVersion": "1"}, "items": []});
    Response::new(Body::from(list.to_string().into_bytes()))
}

#[tokio::test]
async fn ten_thousand_secrets_of_others_leave_nothing_but_a_hash_of_their_names() {
    let asked = Arc::new(Mutex::new(Asked::default()));
    let log = Arc::clone(&asked);
    let client = Client::new(tower::service_fn(move |request| answer(request, Arc::clone(&log))), "default");
    let (options, stop) = (Options::default(), CancellationToken::new());
    let components = Arc::from([]);
    let cluster = Cluster::new(client, components, Classes::All, &options, Arc::default(), stop.clone());
    let cluster = Arc::new(cluster);
    let first = cluster.health.first_list("Secret");
    let children = Children::none().and::<Secret>();
    let kind = children.iter().next().unwrap().clone();
    let watched = tokio::spawn(watch(Arc::clone(&cluster), kind, Scope::Cluster, first.clone()));
    first.settled().cancelled_owned().await;
    stop.cancel();
    watched.await.unwrap();

    assert!(first.has_ended());
    assert_eq!(cluster.router.index.remembered(), (0, 0, SECRETS));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.pages, SECRETS.div_ceil(PAGE as usize));
    // The raw answer, of which the client has two copies for a moment, is the most that is ever in memory.
    assert!(asked.largest < 2 * 1024 * 1024, "{}", asked.largest);
}

#[test]
fn a_page_of_the_largest_objects_fits_into_the_memory_that_the_manifest_grants() {
    const LARGEST_OBJECT: u32 = 3 * 512 * 1024;
    const GRANTED: u32 = 256 * 1024 * 1024;
    // Secrets and ConfigMaps are listed at the same time; the client holds each page twice while it decodes it.
    const { assert!(2 * 2 * PAGE * LARGEST_OBJECT <= GRANTED / 2) };
}
