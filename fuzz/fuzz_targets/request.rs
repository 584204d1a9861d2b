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
    path: &'a str,
    query: &'a str,
    content_type: u8,
    accept: &'a str,
    body: &'a [u8],
}

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const TYPES: [&str; 6] = [
    "application/json",
    "application/yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

thread_local! {
    static WORLD: RefCell<(Runtime, ApiServer)> = RefCell::new((
        Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime"),
        ApiServer::builder().seed(1).history(100).build().expect("nothing is read from a file"),
    ));
}

fuzz_target!(|sent: Sent<'_>| {
    let uri = format!("/{}?{}", sent.path.trim_start_matches('/'), sent.query);
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
