//! A server of discovery over HTTP, with just enough objects for kubectl.

use super::kinds::resources;
use crate::{
    discovery::{Documents, respond},
    failure::Failure,
    present::{As, IncludeObject, WithHeaders, negotiate, table},
    schema::definitions,
};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use serde_json::{Value, json};
use std::{convert::Infallible, net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;

/// Serves until the test ends, and returns the address.
pub(super) async fn serve() -> SocketAddr {
    let documents = Arc::new(Documents::new(&resources(), definitions()));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let documents = Arc::clone(&documents);
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(Arc::clone(&documents), request));
                let _ =
                    Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    address
}

async fn answer(
    documents: Arc<Documents>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let accept =
        request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let uri = request.uri();
    if let Some(document) = respond(&documents, uri.path(), uri.query(), accept) {
        let response = Response::builder().header(header::CONTENT_TYPE, document.content_type);
        let response = response.header(header::ETAG, document.etag.unwrap_or_default());
        return Ok(response.body(Full::new(document.body)).unwrap());
    }
    let shape = negotiate(accept).unwrap().shape;
    let (code, value) = match *request.method() {
        Method::GET if uri.path().ends_with("/deployments") => (StatusCode::OK, deployments(shape)),
        Method::POST | Method::PATCH => {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let mut created: Value = serde_json::from_slice(&body).unwrap_or_else(|_| json!({}));
            created["metadata"]["uid"] = "u".into();
            (StatusCode::CREATED, created)
        }
        _ => {
            let failure = Failure::not_found("apps", "deployments", "web");
            (failure.code, failure.status())
        }
    };
    let response = Response::builder().status(code).header(header::CONTENT_TYPE, "application/json");
    Ok(response.body(Full::new(value.to_string().into())).unwrap())
}

fn deployments(shape: As) -> Value {
    let As::Table { version } = shape else { panic!("kubectl get asks for a table, not {shape:?}") };
    let web = json!({
        "metadata": {"name": "web", "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"spec": {"containers": [{"name": "nginx", "image": "nginx:1"}]}},
        },
        "status": {"readyReplicas": 1, "updatedReplicas": 2, "availableReplicas": 1},
    });
    let deployment = resources().into_iter().find(|resource| resource.kind == "Deployment").unwrap();
    table(
        &deployment,
        &[&web],
        json!({"resourceVersion": "1"}),
        IncludeObject::Metadata,
        "2026-01-01T00:05:07Z".parse().unwrap(),
        WithHeaders::Yes,
        version,
    )
}
