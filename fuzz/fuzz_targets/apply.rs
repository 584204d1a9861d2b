//! Server-side apply of anything by anybody: what was applied twice was applied once, and nothing panics.

#![no_main]

use apiserver::ApiServer;
use arbitrary::{Arbitrary, Unstructured};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use tokio::runtime::Builder;
use tower::ServiceExt as _;

/// Names that mean something to the schema of a Deployment, so that the interesting branches are reached.
const NAMES: [&str; 16] = [
    "spec",
    "template",
    "containers",
    "env",
    "name",
    "ports",
    "containerPort",
    "protocol",
    "metadata",
    "labels",
    "selector",
    "matchLabels",
    "volumes",
    "image",
    "replicas",
    "finalizers",
];

#[derive(Debug)]
struct Document(Value);

impl<'a> Arbitrary<'a> for Document {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        value(u, 0).map(Self)
    }
}

fn value(u: &mut Unstructured<'_>, depth: usize) -> arbitrary::Result<Value> {
    Ok(match u.int_in_range(0..=if depth > 6 { 3 } else { 6 })? {
        0 => Value::Null,
        1 => json!(bool::arbitrary(u)?),
        2 => json!(i32::arbitrary(u)?),
        3 => json!(<&str>::arbitrary(u)?),
        4 => (0..u.int_in_range(0..=3)?).map(|_| value(u, depth + 1)).collect::<Result<Vec<_>, _>>()?.into(),
        _ => {
            let mut fields = Map::new();
            for _ in 0..u.int_in_range(0..=4)? {
                fields.insert((*u.choose(&NAMES)?).to_owned(), value(u, depth + 1)?);
            }
            fields.into()
        }
    })
}

#[derive(Debug, Arbitrary)]
struct Step {
    manager: bool,
    force: bool,
    document: Document,
}

async fn apply(server: &ApiServer, step: &Step) -> (StatusCode, Value) {
    let mut body = step.document.0.clone();
    if !body.is_object() {
        body = json!({"spec": body});
    }
    body["apiVersion"] = "apps/v1".into();
    body["kind"] = "Deployment".into();
    let uri = format!(
        "/apis/apps/v1/namespaces/default/deployments/d?fieldManager={}&force={}",
        if step.manager { "a" } else { "b" },
        step.force
    );
    let request = Request::patch(uri)
        .header("content-type", "application/apply-patch+yaml")
        .body(Full::new(Bytes::from(body.to_string())))
        .expect("a request");
    let response = server.clone().oneshot(request).await.expect("infallible");
    let status = response.status();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

fuzz_target!(|steps: Vec<Step>| {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let server = ApiServer::builder().seed(1).build().expect("nothing is read from a file");
        for step in steps.iter().take(8) {
            let (status, first) = apply(&server, step).await;
            if status.is_success() {
                let (again, second) = apply(&server, step).await;
                assert!(again.is_success(), "{second}");
                assert_eq!(first["metadata"]["resourceVersion"], second["metadata"]["resourceVersion"]);
            }
        }
    });
});
