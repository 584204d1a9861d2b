//! The key of digests: created once, and the same for all replicas of the operator.

use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use api::names::INPUTS_ANNOTATION;
use apiserver::ApiServer;
use envtest::clock;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Namespace, Secret},
};
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
    client::Body,
};
use plan::DigestKey;
use runtime::{DIGEST_KEY, Options, SystemEntropy, ensure_digest_key, find_digest_key};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::sync::Barrier;
use tower::ServiceExt as _;

const HOME: &str = "home";

/// A server with the namespace of an operator.
async fn server() -> (ApiServer, Client) {
    let server = ApiServer::builder().seed(1).build().unwrap();
    let client = Client::new(server.clone(), "default");
    let home: Namespace = serde_json::from_value(json!({"metadata": {"name": HOME}})).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &home).await.unwrap();
    (server, client)
}

fn secrets(client: &Client) -> Api<Secret> {
    Api::namespaced(client.clone(), HOME)
}

async fn settled() {
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[tokio::test]
async fn it_is_made_once_random_and_described_and_the_next_operator_finds_it() {
    let (_, client) = server().await;
    assert_eq!(find_digest_key(&client, HOME).await.unwrap(), None);
    let made = ensure_digest_key(&client, HOME, &SystemEntropy).await.unwrap();
    let stored = secrets(&client).get(DIGEST_KEY).await.unwrap();
    assert_eq!(ensure_digest_key(&client, HOME, &SystemEntropy).await.unwrap(), made);
    assert_eq!(find_digest_key(&client, HOME).await.unwrap(), Some(made.clone()));
    assert_eq!(secrets(&client).get(DIGEST_KEY).await.unwrap(), stored, "it is left alone");
    assert_ne!(made, DigestKey::PLACEHOLDER);
    assert_eq!(stored.immutable, Some(true));
    assert!(stored.metadata.owner_references.is_none(), "it goes with nothing");
    let annotations = stored.metadata.annotations.unwrap();
    assert!(annotations["kubernetes.io/description"].contains("harbor-operator"), "{annotations:?}");

    let (_, other) = server().await;
    assert_ne!(
        ensure_digest_key(&other, HOME, &SystemEntropy).await.unwrap(),
        made,
        "that of another cluster"
    );
}

#[tokio::test]
async fn operators_that_start_at_once_agree_on_one() {
    const MANY: usize = 8;
    let (server, _) = server().await;
    // None creates it before all have seen that there is none.
    let barrier = Arc::new(Barrier::new(MANY));
    let start = || {
        let (server, barrier) = (server.clone(), Arc::clone(&barrier));
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (server, barrier) = (server.clone(), Arc::clone(&barrier));
            async move {
                if request.method() == http::Method::POST {
                    barrier.wait().await;
                }
                server.oneshot(request).await
            }
        });
        let client = Client::new(service, "default");
        tokio::spawn(async move { ensure_digest_key(&client, HOME, &SystemEntropy).await.unwrap() })
    };
    let started: Vec<_> = (0..MANY).map(|_| start()).collect();
    let mut keys = Vec::new();
    for operator in started {
        keys.push(operator.await.unwrap());
    }
    assert!(keys.iter().all(|key| *key == keys[0]));
}

#[tokio::test]
async fn what_is_no_key_is_refused_and_left_alone() {
    let (_, client) = server().await;
    let short: Secret = serde_json::from_value(json!({
        "metadata": {"name": DIGEST_KEY}, "stringData": {"key": "hunter2"},
    }))
    .unwrap();
    secrets(&client).create(&PostParams::default(), &short).await.unwrap();
    let refused = ensure_digest_key(&client, HOME, &SystemEntropy).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Secret home/harbor-operator-digest-key: its entry `key` does not hold 32 bytes; \
         delete it, and the operator makes another"
    );
}

#[tokio::test]
async fn a_namespace_that_does_not_exist_is_named() {
    let (_, client) = server().await;
    let refused = ensure_digest_key(&client, "nowhere", &SystemEntropy).await.unwrap_err().to_string();
    let expected = "cannot create Secret nowhere/harbor-operator-digest-key: ";
    assert!(refused.starts_with(expected) && refused.contains("\"nowhere\" not found"), "{refused}");
}

/// The digest that the pods of a widget carry.
async fn digest(cluster: &Cluster, widget: &str) -> String {
    let deployment = cluster.get::<Deployment>(&format!("{widget}-widget")).await;
    let template = deployment.spec.unwrap().template.metadata.unwrap();
    template.annotations.unwrap()[INPUTS_ANNOTATION].clone()
}

#[tokio::test(start_paused = true)]
async fn with_the_key_it_had_a_restarted_operator_sends_nothing_and_with_another_it_replaces_pods_once() {
    let options = Options { clock, ..Options::default() };
    let mut cluster = Cluster::new::<WidgetComponent>(options).await;
    let key = ensure_digest_key(&cluster.client, "default", &SystemEntropy).await.unwrap();
    cluster.options.digest_key = key;
    let secret: Secret =
        serde_json::from_value(json!({"metadata": {"name": "s"}, "stringData": {"word": "hunter2"}}))
            .unwrap();
    cluster.create(&secret).await;
    for name in ["one", "two"] {
        let spec = WidgetSpec { uses: Some("s".into()), ..WidgetSpec::default() };
        cluster.create(&Widget::new(name, spec)).await;
    }
    cluster.start::<WidgetComponent>();
    settled().await;
    let before = digest(&cluster, "one").await;
    assert_ne!(before, digest(&cluster, "two").await, "equal inputs of two owners");

    cluster.take_requests();
    cluster.options.digest_key = find_digest_key(&cluster.client, "default").await.unwrap().unwrap();
    cluster.restart::<WidgetComponent>().await;
    settled().await;
    let writes = |requests: Vec<String>| -> Vec<String> {
        requests.into_iter().filter(|request| !request.starts_with("GET ")).collect()
    };
    assert_eq!(writes(cluster.take_requests()), Vec::<String>::new());

    cluster.api::<Secret>().delete(DIGEST_KEY, &DeleteParams::default()).await.unwrap();
    cluster.options.digest_key = ensure_digest_key(&cluster.client, "default", &SystemEntropy).await.unwrap();
    cluster.restart::<WidgetComponent>().await;
    settled().await;
    assert_ne!(digest(&cluster, "one").await, before);
    let sent = writes(cluster.take_requests());
    let applied: Vec<_> = sent.iter().filter(|request| request.starts_with("PATCH ")).collect();
    let deployments = applied.iter().filter(|request| request.contains("/deployments/"));
    assert_eq!(deployments.count(), 2, "one each: {sent:#?}");
}
