use super::*;
use crate::Options;
use http::{Request, Response};
use k8s_openapi::api::core::v1::Secret;
use kube::{Client, client::Body};
use plan::Children;
use serde_json::{Map, Value, json};
use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};
use tokio_util::sync::CancellationToken;

const SECRETS: usize = 10_000;

/// One in this many has as much metadata as the API server accepts.
const HOSTILE: usize = 500;

/// The list requests that the server got.
#[derive(Default)]
struct Lists {
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

/// A cluster full of Secrets of other programs, generated for each request.
async fn answer(request: Request<Body>, lists: Arc<Mutex<Lists>>) -> Result<Response<Body>, Infallible> {
    let query = request.uri().query().unwrap_or_default();
    if query.contains("sendInitialEvents") {
        return Ok(refused());
    }
    if query.contains("labelSelector") {
        return Ok(no_children());
    }
    let accepted = request.headers().get("accept").and_then(|it| it.to_str().ok()).unwrap_or_default();
    assert!(accepted.contains("PartialObjectMetadata"), "the content of Secrets was requested: {accepted}");
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
    let mut lists = lists.lock().unwrap();
    lists.pages += 1;
    lists.largest = lists.largest.max(body.len());
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
async fn only_a_hash_of_the_name_is_stored_for_each_of_ten_thousand_untracked_secrets() {
    let lists = Arc::new(Mutex::new(Lists::default()));
    let log = Arc::clone(&lists);
    let client = Client::new(tower::service_fn(move |request| answer(request, Arc::clone(&log))), "default");
    let (options, stop) = (Options::default(), CancellationToken::new());
    let components = Arc::from([]);
    let cluster = Cluster::new(client, components, Classes::All, &options, Arc::default(), stop.clone());
    let cluster = Arc::new(cluster);
    let first = cluster.health.first_list("Secret");
    let children = Children::none().and::<Secret>();
    let kind = children.iter().next().unwrap().clone();
    let watched = tokio::spawn(watch(Arc::clone(&cluster), kind, Reach::All(Scope::Cluster), first.clone()));
    first.settled().cancelled_owned().await;
    stop.cancel();
    watched.await.unwrap();

    assert!(first.has_ended());
    assert_eq!(cluster.router.index.remembered(), (0, 0, SECRETS));
    let lists = lists.lock().unwrap();
    assert_eq!(lists.pages, SECRETS.div_ceil(PAGE as usize));
    // The largest memory use is the raw answer, of which the client has two copies for a moment.
    assert!(lists.largest < 2 * 1024 * 1024, "{}", lists.largest);
}

#[test]
fn a_page_of_the_largest_objects_fits_into_the_memory_limit_of_the_manifest() {
    const LARGEST_OBJECT: u32 = 3 * 512 * 1024;
    const MEMORY_LIMIT: u32 = 256 * 1024 * 1024;
    // Secrets and ConfigMaps are listed at the same time; the client holds each page twice while it decodes it.
    const { assert!(2 * 2 * PAGE * LARGEST_OBJECT <= MEMORY_LIMIT / 2) };
}
