//! 500 pods are created in a second: how long the webhook takes for each, and whether its memory stays the same.
//!
//! The API server in memory calls the webhook over TLS and keeps its connections, as a real one does. Pods are created as
//! dry runs, so that none of them stays in the memory that is measured.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a benchmark fails by panicking")]

use apiserver::{ApiServer, User, WebhookTarget, Webhooks};
use election::Leadership;
use futures::future::BoxFuture;
use http::Request;
use jiff::Timestamp;
use k8s_openapi::api::{admissionregistration::v1::MutatingWebhookConfiguration, core::v1::Pod};
use kube::{
    Api, Client, Config,
    api::{Patch, PatchParams, PostParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::wait::await_condition,
};
use runtime::{Format, Metrics, SystemEntropy};
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::{net::TcpListener, task::JoinSet, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use tower::BoxError;
use webhookserver::{Certificate, Reach, Rewriting, Settings, WebhookServer};

/// How many pods are created in a second.
const RATE: u32 = 500;
/// For how many seconds, before memory is measured.
const SECONDS: u32 = 10;
/// How often that is repeated.
const ROUNDS: usize = 5;
/// What 99 % of the reviews must not exceed.
const BUDGET: Duration = Duration::from_millis(5);
/// How much more memory may be resident afterwards, in KiB: allocators keep some of what is free.
const GROWTH: u64 = 2048;
const NAME: &str = "hooks";

/// Calls the webhook over connections that stay open.
#[derive(Default)]
struct Pooled(OnceLock<Client>);

impl Webhooks for Pooled {
    fn call<'a>(
        &'a self,
        target: &'a WebhookTarget,
        ca_bundle: &'a [u8],
        review: Value,
    ) -> BoxFuture<'a, Result<Value, BoxError>> {
        let client = self.0.get_or_init(|| {
            let url: http::Uri = target.to_string().parse().unwrap();
            let mut config = Config::new(format!("https://{}", url.authority().unwrap()).parse().unwrap());
            let certificates = CertificateDer::pem_slice_iter(ca_bundle);
            config.root_cert = Some(certificates.map(|it| it.unwrap().to_vec()).collect());
            Client::try_from(config).unwrap()
        });
        Box::pin(async move {
            let request = Request::post("/mutate-image-path")
                .header("content-type", "application/json")
                .body(review.to_string().into_bytes())?;
            Ok(client.request(request).await?)
        })
    }
}

/// The memory of this process that is no file, in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

async fn apply(client: &Client, object: Value) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").rsplit_once('/').unwrap_or(("", text("/apiVersion")));
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
    let api: Api<DynamicObject> = match text("/metadata/namespace") {
        "" => Api::all_with(client.clone(), &kind),
        namespace => Api::namespaced_with(client.clone(), namespace, &kind),
    };
    let params = PatchParams::apply("user").force();
    api.patch(text("/metadata/name"), &params, &Patch::Apply(&object)).await.unwrap();
}

/// A cluster with 100 labelled namespaces, each with rules of its own.
async fn fill(client: &Client) {
    for kind in ["Core", "Harbor", "HarborCluster", "HarborServerConfiguration", "Registry"] {
        let definition = api::crds::of(kind).unwrap();
        Api::all(client.clone()).create(&PostParams::default(), &definition).await.unwrap();
    }
    apply(client, json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "ops" } })).await;
    let server = json!({ "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
        "metadata": { "name": "main" }, "spec": {
            "serverURL": "https://harbor.example.com", "version": "2.12.0", "default": true,
            "accessCredential": { "namespace": "ops", "accessSecretRef": "login" },
            "rules": ["docker.io=>hub", "^(quay|ghcr)\\.io$=>mirror", "*=>rest"] } });
    apply(client, server).await;
    let rules: Vec<_> = (0..20).map(|n| format!("^registry-{n}\\.[a-z]+\\.example$=>team-{n}")).collect();
    for place in 0..100 {
        let metadata = json!({ "name": format!("team-{place}"),
            "labels": { "harbor-day2-webhook-configuration": "enabled" },
            "annotations": { "goharbor.io/rewriting-rules": "rules" } });
        apply(client, json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })).await;
        let metadata = json!({ "name": "rules", "namespace": format!("team-{place}") });
        let data = json!({ "hsc": "main", "rules": rules.join("\n") });
        apply(client, json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data }))
            .await;
    }
}

/// A pod of usual size: six containers, thirty variables each.
fn pod() -> Pod {
    let env: Vec<_> =
        (0..30).map(|n| json!({ "name": format!("VARIABLE_{n}"), "value": "x".repeat(40) })).collect();
    let images = ["nginx:1.27", "bitnami/redis", "quay.io/a/b:1", "ghcr.io/c/d:2", "gcr.io/e/f", "busybox"];
    let containers = images.iter().enumerate();
    let containers: Vec<_> = containers
        .map(|(place, image)| json!({ "name": format!("c{place}"), "image": image, "env": env }))
        .collect();
    serde_json::from_value(json!({ "metadata": { "name": "web" }, "spec": { "containers": containers } }))
        .unwrap()
}

/// Creates pods at the rate; returns how long each took.
async fn create(client: &Client, seconds: u32) -> Vec<Duration> {
    let (pod, params) = (Arc::new(pod()), PostParams { dry_run: true, ..PostParams::default() });
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / RATE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut creations = JoinSet::new();
    for place in 0..RATE * seconds {
        ticks.tick().await;
        let pods: Api<Pod> = Api::namespaced(client.clone(), &format!("team-{}", place % 100));
        let (pod, params) = (Arc::clone(&pod), params.clone());
        creations.spawn(async move {
            let begin = Instant::now();
            let created = pods.create(&params, &pod).await.unwrap();
            let image = created.spec.unwrap().containers.remove(0).image;
            assert_eq!(image.as_deref(), Some("harbor.example.com/hub/library/nginx:1.27"));
            begin.elapsed()
        });
    }
    creations.join_all().await
}

/// The number in a line of the metrics that begins so.
fn metric(text: &str, line: &str) -> f64 {
    let found = text.lines().find_map(|it| it.strip_prefix(line)).unwrap_or_else(|| panic!("{line}: {text}"));
    found.trim().parse().unwrap()
}

#[tokio::main]
async fn main() {
    let server = ApiServer::builder().webhooks(Arc::new(Pooled::default())).build().unwrap();
    let client = Client::new(server.acting_as(User::admin()), "default");
    fill(&client).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let settings = Settings {
        namespace: "ops".into(),
        name: NAME.into(),
        reach: Reach::At { host: "127.0.0.1".into(), port },
        certificate: Certificate::Issued,
        rewriting: Some(Rewriting::default()),
        conversion: None,
    };
    let metrics = Arc::<Metrics>::default();
    let webhooks = WebhookServer {
        client: client.clone(),
        leadership: Leadership::permanent(),
        settings,
        metrics: Arc::clone(&metrics),
        health: Arc::default(),
        clock: Timestamp::now,
        entropy: Arc::new(SystemEntropy),
    };
    let stop = CancellationToken::new();
    let serving = tokio::spawn(webhooks.run(listener, stop.clone()));
    let configurations: Api<MutatingWebhookConfiguration> = Api::all(client.clone());
    await_condition(configurations, NAME, |it: Option<&MutatingWebhookConfiguration>| it.is_some())
        .await
        .unwrap();

    // Afterwards the connections are open, and the allocator has what a second needs.
    create(&client, SECONDS).await;
    let mut memory = vec![resident()];
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        took.extend(create(&client, SECONDS).await);
        memory.push(resident());
    }
    took.sort_unstable();
    let [median, nearly_all, slowest] = [50, 99, 100].map(|percent| took[took.len() * percent / 100 - 1]);
    println!(
        "{} creations, {RATE} a second, as clients see them: median {median:?}, 99 % {nearly_all:?}, slowest {slowest:?}",
        took.len()
    );
    let text = metrics.text(Format::Prometheus);
    let of_webhook =
        |suffix: &str| metric(&text, &format!("harbor_operator_webhook_duration_seconds_{suffix} "));
    let (count, sum) = (of_webhook("count"), of_webhook("sum"));
    let fast = of_webhook("bucket{le=\"0.005\"}");
    println!(
        "in the handler: mean {:.0} µs, {:.2} % below {BUDGET:?}",
        sum / count * 1e6,
        fast / count * 100.0
    );
    println!("resident memory before and after each {SECONDS} s, in KiB: {memory:?}");
    assert!(fast / count >= 0.99, "99 % of the reviews must take less than {BUDGET:?}");
    assert!(memory[ROUNDS] < memory[0] + GROWTH, "memory grows");
    stop.cancel();
    serving.await.unwrap().unwrap();
}
