mod over_tls;

use super::*;
use crate::{
    commands::sandbox::{Cluster, ClusterOptions},
    operator::operator,
};
use api::v1beta1::Core;
use axum::{Router, extract::State, routing::post};
use bytes::Bytes;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::wait::await_condition,
};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::any_value::Value as Attribute,
    trace::v1::{Span as Sent, span::SpanKind},
};
use prost::Message as _;
use runtime::{Metrics, Options};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, time::timeout};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::layer::SubscriberExt as _;

type Batches = Arc<Mutex<Vec<Bytes>>>;

/// The routes of a collector.
fn collecting(batches: &Batches) -> Router {
    let take =
        |State(batches): State<Batches>, body: Bytes| async move { batches.lock().unwrap().push(body) };
    Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(batches))
}

/// A collector: the batches that it receives, and its URL.
async fn collector() -> (Batches, String) {
    let batches = Batches::default();
    let router = collecting(&batches);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (batches, format!("http://{address}"))
}

/// Applies a Core with all it refers to, and waits until it is ready.
async fn make_a_core_ready(client: &Client) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for file in ["inputs/secrets.yaml", "inputs/postgres.json", "core.yaml"] {
        let documents: Vec<Value> =
            serde_saphyr::from_multiple(&fs::read_to_string(fixtures.join(file)).unwrap()).unwrap();
        for document in documents {
            let text = |field: &str| document.pointer(field).and_then(Value::as_str).unwrap();
            let (group, version) = text("/apiVersion").rsplit_once('/').unwrap_or(("", text("/apiVersion")));
            let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
            let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &kind);
            let params = PatchParams::apply("user").force();
            let mut object = document.clone();
            object["metadata"]["namespace"] = "default".into();
            api.patch(text("/metadata/name"), &params, &Patch::Apply(&object)).await.unwrap();
        }
    }
    let ready = await_condition(Api::default_namespaced(client.clone()), "harbor", |core: Option<&Core>| {
        let conditions = core.and_then(|core| core.status.as_ref()).map(|status| &status.conditions);
        conditions.into_iter().flatten().any(|it| it.type_ == "Ready" && it.status == "True")
    });
    timeout(Duration::from_secs(30), Box::pin(ready)).await.expect("the Core becomes ready").unwrap();
}

fn attribute(span: &Sent, name: &str) -> String {
    let value = span.attributes.iter().find(|it| it.key == name).and_then(|it| it.value.clone()?.value);
    match value {
        Some(Attribute::StringValue(text)) => text,
        Some(Attribute::IntValue(number)) => number.to_string(),
        _ => String::new(),
    }
}

#[tokio::test]
async fn a_reconcile_is_one_trace_with_a_span_for_each_child_and_for_each_request() {
    let (batches, url) = collector().await;
    let folder = tempfile::tempdir().unwrap();
    let options = ClusterOptions {
        listen: ([127, 0, 0, 1], 0).into(),
        state: None,
        delay: Duration::ZERO,
        kubeconfig: &folder.path().join("kubeconfig"),
        webhooks: ([127, 0, 0, 1], 0).into(),
    };
    let cluster = Cluster::start(options).await.unwrap();
    let exporter = Traces { otlp_endpoint: Some(url), trust: Trust::default() }.start().unwrap().unwrap();
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(exporter.layer()));
    let metrics = Arc::<Metrics>::default();
    let client = metrics.observe(cluster.client.clone());
    let options = Options { metrics, trace_id, ..Options::default() };
    let stop = CancellationToken::new();
    let operator = tokio::spawn(operator(client, components::all(), options).run(stop.clone()));
    make_a_core_ready(&cluster.client).await;
    stop.cancel();
    operator.await.unwrap().unwrap();
    drop(guard);
    exporter.flush().await;

    let batches: Vec<_> = batches.lock().unwrap().clone();
    let bytes: Vec<u8> = batches.concat();
    for secret in ["Harbor12345", "swordfish", "0123456789abcdef"] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
    let decoded = batches.iter().map(|batch| ExportTraceServiceRequest::decode(batch.clone()).unwrap());
    let spans: Vec<Sent> = decoded
        .flat_map(|request| request.resource_spans)
        .flat_map(|resource| resource.scope_spans)
        .flat_map(|scope| scope.spans)
        .collect();

    let by_id: BTreeMap<_, _> = spans.iter().map(|span| (span.span_id.clone(), span)).collect();
    let roots: Vec<_> = spans.iter().filter(|span| span.parent_span_id.is_empty()).collect();
    assert!(roots.iter().all(|root| root.name == "reconcile"), "{:?}", roots.iter().map(|it| &it.name));
    let traces: BTreeSet<_> = roots.iter().map(|root| &root.trace_id).collect();
    assert_eq!(traces.len(), roots.len(), "one trace per reconcile");
    for root in &roots {
        assert_eq!(attribute(root, "trace_id"), hex(&root.trace_id), "the log names the trace");
        assert_eq!(attribute(root, "kind"), "Core");
    }

    let of_reconcile = |root: &Sent, name: &str| -> Vec<&Sent> {
        let within = spans.iter().filter(|span| span.trace_id == root.trace_id);
        within.filter(|span| span.name == name && span.parent_span_id == root.span_id).collect()
    };
    // The children of the first reconcile that could plan, each once.
    let first = roots.iter().find(|root| !of_reconcile(root, "ensure").is_empty()).unwrap();
    let nodes: BTreeSet<_> = of_reconcile(first, "ensure")
        .iter()
        .map(|span| format!("{} {}", attribute(span, "kind"), attribute(span, "outcome")))
        .collect();
    let expected = ["ConfigMap ready", "Deployment waiting", "Secret ready", "Service ready"];
    assert!(expected.iter().all(|node| nodes.contains(*node)), "{nodes:?}");

    let requests: BTreeSet<_> = spans
        .iter()
        .filter(|span| span.kind == SpanKind::Client as i32)
        .map(|span| {
            let parent = by_id[&span.parent_span_id];
            let status = attribute(span, "http.response.status_code");
            format!("{} < {} {}: {status}", span.name, parent.name, attribute(parent, "kind"))
        })
        .collect();
    for expected in [
        "apply deployments.apps < ensure Deployment: 200",
        "apply services < ensure Service: 200",
        "apply cores.goharbor.io/status < reconcile Core: 200",
    ] {
        assert!(requests.iter().any(|it| it.starts_with(&expected[..expected.len() - 3])), "{requests:#?}");
    }
    assert!(!requests.iter().any(|request| request.starts_with("watch")), "{requests:?}");
}

fn hex(id: &[u8]) -> String {
    opentelemetry::TraceId::from_bytes(id.try_into().unwrap()).to_string()
}

#[tokio::test]
async fn without_an_endpoint_there_are_no_traces() {
    assert!(Traces { otlp_endpoint: None, trust: Trust::default() }.start().unwrap().is_none());
    assert!(
        Traces { otlp_endpoint: Some(String::new()), trust: Trust::default() }.start().unwrap().is_none()
    );
}
