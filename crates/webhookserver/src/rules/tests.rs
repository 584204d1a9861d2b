use super::Rules;
use http::{Request, Response, StatusCode};
use kube::{Client, client::Body};
use serde_json::{Value, json};
use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::timeout;
use webhook::admission::Rewriting;

/// How many ConfigMaps there are, of which one has rules.
const CONFIG_MAPS: usize = 95;

/// The ConfigMaps of each answer to a list.
type Pages = Arc<Mutex<Vec<usize>>>;

/// An API server that does not stream lists, with large ConfigMaps of other programs.
async fn answer(request: Request<Body>, pages: Pages) -> Result<Response<Body>, Infallible> {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let parameter = |name: &str| {
        let pairs = query.split('&').filter_map(|it| it.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    if query.contains("sendInitialEvents") {
        let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid",
            "code": 422, "message": "sendInitialEvents is forbidden for watch" });
        return Ok(response(StatusCode::UNPROCESSABLE_ENTITY, &status));
    }
    if parameter("watch").is_some() {
        std::future::pending::<()>().await;
    }
    let number = |name: &str| parameter(name).and_then(|it| it.parse::<usize>().ok());
    let limit = number("limit").expect("a list without a limit");
    let mut metadata = json!({ "resourceVersion": "1" });
    let items: Vec<_> = match path.rsplit('/').next() {
        Some("configmaps") => {
            let from = number("continue").unwrap_or_default();
            let to = (from + limit).min(CONFIG_MAPS);
            if to < CONFIG_MAPS {
                metadata["continue"] = to.to_string().into();
            }
            pages.lock().unwrap().push(to - from);
            (from..to).map(config_map).collect()
        }
        Some("namespaces") => vec![json!({ "metadata": { "name": "team",
            "annotations": { "goharbor.io/rewriting-rules": "map-94" } } })],
        Some("harborserverconfigurations") => vec![json!({ "metadata": { "name": "main" }, "spec": {
            "serverURL": "https://harbor.example.com", "version": "2.12.0",
            "accessCredential": { "namespace": "ops", "accessSecretRef": "login" } } })],
        _ => Vec::new(),
    };
    Ok(response(StatusCode::OK, &json!({ "metadata": metadata, "items": items })))
}

fn response(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string().into_bytes()));
    *response.status_mut() = status;
    response
}

fn config_map(number: usize) -> Value {
    let data = if number == CONFIG_MAPS - 1 {
        json!({ "hsc": "main", "rules": "docker.io=>hub" })
    } else {
        json!({ "other": "x".repeat(100_000) })
    };
    json!({ "metadata": { "name": format!("map-{number}"), "namespace": "team" }, "data": data })
}

#[tokio::test]
async fn config_maps_are_listed_in_small_pages_and_only_those_with_rules_are_kept() {
    let pages = Pages::default();
    let seen = Arc::clone(&pages);
    let client = Client::new(tower::service_fn(move |request| answer(request, Arc::clone(&seen))), "default");
    let rules = Arc::new(Rules::new([]));
    let feeding = {
        let rules = Arc::clone(&rules);
        tokio::spawn(async move { Box::pin(rules.feed(&client)).await })
    };
    timeout(Duration::from_mins(1), rules.until_listed()).await.unwrap();
    feeding.abort();

    assert_eq!(*pages.lock().unwrap(), [[10; 9].as_slice(), &[5]].concat());
    let kept = rules.read(|sources| sources.config_maps.keys().cloned().collect::<Vec<_>>());
    assert_eq!(kept, Some(vec![("team".to_owned(), "map-94".to_owned())]));
    let image = rules.read(|sources| match sources.rewriting("team") {
        Rewriting::On(chain) => chain.rewrite("nginx").unwrap().map(|image| image.to_string()),
        Rewriting::Off(_) => None,
    });
    assert_eq!(image.flatten().as_deref(), Some("harbor.example.com/hub/library/nginx:latest"));
}
