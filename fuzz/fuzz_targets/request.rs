//! Any request at all: the server answers it, and still answers the next one.

#![no_main]

use apiserver::ApiServer;
use arbitrary::Arbitrary;
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

#[derive(Debug, Arbitrary)]
struct Sent<'a> {
    method: u8,
    place: u8,
    path: &'a str,
    query: &'a str,
    content_type: u8,
    accept: &'a str,
    body: &'a [u8],
}

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// Where something is, or may come to be; any other path is tried, too.
const PLACES: [&str; 14] = [
    "api/v1/namespaces/default/configmaps",
    "api/v1/namespaces/default/configmaps/a",
    "api/v1/namespaces/default/services",
    "api/v1/namespaces/default/services/kubernetes",
    "api/v1/namespaces/default",
    "api/v1/namespaces",
    "api/v1/pods",
    "api/v1/namespaces/default/pods/a",
    "api/v1/namespaces/default/serviceaccounts/a/token",
    "apis/apps/v1/namespaces/default/deployments/a",
    "apis/apps/v1/namespaces/default/deployments/a/scale",
    "apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.test.io",
    "apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
];
const TYPES: [&str; 7] = [
    "application/json",
    "application/vnd.kubernetes.protobuf",
    "application/yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

thread_local! {
    static WORLD: RefCell<(Runtime, ApiServer)> = RefCell::new((
        Builder::new_current_thread().enable_time().build().expect("a runtime"),
        ApiServer::builder().seed(1).history(100).build().expect("nothing is read from a file"),
    ));
}

fuzz_target!(|sent: Sent<'_>| {
    let path = PLACES.get(usize::from(sent.place % 16)).copied().unwrap_or(sent.path);
    let uri = format!("/{}?{}", path.trim_start_matches('/'), sent.query);
    let request = Request::builder()
        .method(METHODS[usize::from(sent.method) % METHODS.len()])
        .uri(uri)
        .header("content-type", TYPES[usize::from(sent.content_type) % TYPES.len()])
        .header("accept", sent.accept)
        .body(Full::new(Bytes::copy_from_slice(sent.body)));
    let Ok(request) = request else { return };
    WORLD.with_borrow(|(runtime, server)| {
        runtime.block_on(async {
            let response = server.clone().oneshot(request).await.expect("infallible");
            assert!(response.status().as_u16() >= 200);
            let health = Request::get("/healthz").body(Full::new(Bytes::new())).expect("a request");
            assert_eq!(server.clone().oneshot(health).await.expect("infallible").status(), 200);
        });
    });
});
