//! Images of pods.

use crate::world::{Cluster, NAME, REWRITING, SOURCES, Served, World, apply, definitions, eventually};
use apiserver::{RemoteWebhooks, WebhookTarget, Webhooks as _};
use election::Leadership;
use envtest::TIMEOUT;
use http::Request;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::{
    admissionregistration::v1::MutatingWebhookConfiguration,
    core::v1::{Namespace, Pod, Secret},
    events::v1::Event,
};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams, Patch, PatchParams},
};
use runtime::HealthError;
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::time::timeout;

impl Cluster {
    /// A cluster with all kinds that rules come from.
    async fn of_images() -> Self {
        Self::shared("images", definitions(&SOURCES)).await
    }
}

impl World {
    /// An operator that rewrites images.
    pub async fn start(rules: &[&str]) -> Self {
        Self::start_as(rules, REWRITING, Timestamp::now).await
    }

    /// An operator that rewrites images in this way, at the time of this clock.
    pub async fn start_as(rules: &[&str], which: Served, clock: fn() -> Timestamp) -> Self {
        let cluster = Cluster::of_images().await;
        let client = cluster.client();
        apply(&client, server("main", json!({ "default": true, "rules": rules }))).await;
        let server = cluster.serve_with(client, Leadership::permanent(), which, clock).await;
        Self { cluster, server }
    }

    /// Creates a pod, and returns it and the warnings, or why the API server refuses it.
    pub async fn create_pod(
        &self,
        namespace: &str,
        labels: Value,
    ) -> Result<(Pod, Vec<String>), Box<kube::core::Status>> {
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": { "generateName": "web-", "labels": labels },
            "spec": {
                "automountServiceAccountToken": false,
                "containers": [{ "name": "web", "image": "nginx:1.27" }],
            },
        });
        let request = Request::post(format!("/api/v1/namespaces/{namespace}/pods"))
            .header("content-type", "application/json")
            .body(pod.to_string().into_bytes().into())
            .unwrap();
        let response = self.client().send(request).await.unwrap();
        let headers = response.headers().get_all("warning").iter();
        let warnings = headers.map(|value| value.to_str().unwrap().to_owned()).collect();
        let is_created = response.status().is_success();
        let body = response.into_body().collect_bytes().await.unwrap();
        if is_created {
            Ok((serde_json::from_slice(&body).unwrap(), warnings))
        } else {
            Err(serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{body:?}")))
        }
    }

    /// Creates a pod, and returns its image and the warnings.
    pub async fn image(&self, namespace: &str, labels: Value) -> (String, Vec<String>) {
        let (pod, warnings) = self.create_pod(namespace, labels).await.unwrap();
        (image(&pod), warnings)
    }

    /// Creates pods until one has this image: API servers learn of a configuration after a while.
    pub async fn until_image(&self, wanted: &str) {
        eventually(&format!("a pod has the image {wanted}"), async || {
            match self.create_pod(&self.team, json!({})).await {
                Ok((pod, _)) if image(&pod) == wanted => Ok(()),
                other => Err(other),
            }
        })
        .await;
    }

    pub fn configurations(&self) -> Api<MutatingWebhookConfiguration> {
        Api::all(self.client())
    }

    /// Creates a HarborCluster in a namespace, and waits until the configuration exempts the namespace.
    pub async fn create_harbor(&self, namespace: &str) {
        let harbor = json!({ "apiVersion": "goharbor.io/v1beta1", "kind": "HarborCluster",
            "metadata": { "name": "acme", "namespace": namespace },
            "spec": {
                "version": "2.15.0",
                "externalURL": "http://harbor.example.com",
                "harborAdminPasswordRef": "harbor-admin",
                "expose": { "core": { "ingress": { "host": "harbor.example.com" } } },
                "database": { "kind": "PostgreSQL", "spec": { "postgresql": {
                    "hosts": [{ "host": "postgres" }], "username": "harbor", "passwordRef": "postgres" } } },
                "cache": { "kind": "Redis", "spec": { "redis": { "host": "redis" } } },
                "storage": { "kind": "FileSystem", "spec": { "fileSystem": {
                    "registryPersistentVolume": { "claimName": "images" } } } },
            } });
        apply(&self.client(), harbor).await;
        self.until_exempt(namespace).await;
    }

    /// Waits until the configuration exempts the namespace.
    async fn until_exempt(&self, namespace: &str) {
        let exempts = |it: &MutatingWebhookConfiguration| {
            let selector = it.webhooks.as_ref().unwrap()[0].namespace_selector.clone().unwrap();
            let values = selector.match_expressions.unwrap()[0].values.clone();
            values == Some(vec!["kube-system".into(), self.ops.clone(), namespace.into()])
        };
        self.until(self.configurations(), NAME, exempts).await;
    }
}

/// The image of the first container.
pub fn image(pod: &Pod) -> String {
    pod.spec.as_ref().unwrap().containers[0].image.clone().unwrap()
}

fn server(name: &str, fields: Value) -> Value {
    let mut spec = json!({
        "serverURL": "https://harbor.example.com",
        "version": "2.12.0",
        "accessCredential": { "namespace": "ops", "accessSecretRef": "login" },
    });
    for (field, value) in fields.as_object().unwrap() {
        spec[field] = value.clone();
    }
    json!({ "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration", "metadata": { "name": name },
        "spec": spec })
}

pub const HUB: &str = "harbor.example.com/hub/library/nginx:1.27";
pub const UNCHANGED: &str = "nginx:1.27";

#[tokio::test(flavor = "multi_thread")]
async fn new_pods_of_labelled_namespaces_are_pulled_through_the_harbor() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    assert_eq!(world.image(&world.others, json!({})).await, (UNCHANGED.into(), vec![]));
    let opted_out = json!({ "goharbor.io/rewrite": "false" });
    assert_eq!(world.image(&world.team, opted_out).await, (UNCHANGED.into(), vec![]));
    let pods: Api<Pod> = Api::namespaced(world.client(), &world.team);
    let all = pods.list(&ListParams::default()).await.unwrap();
    let rewritten = all.iter().find(|pod| pod.annotations().contains_key("goharbor.io/rewritten")).unwrap();
    assert_eq!(rewritten.annotations()["goharbor.io/rewritten"], "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_rules_admit_pods_unchanged_with_a_warning_and_an_event() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let rules = json!({ "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "rules", "namespace": world.team }, "data": { "hsc": "main", "rules": "docker.io" } });
    apply(&world.client(), rules).await;
    let annotations = json!({ "goharbor.io/rewriting-rules": "rules" });
    let namespaces = Api::<Namespace>::all(world.client());
    let annotated = Patch::Merge(json!({ "metadata": { "annotations": annotations } }));
    namespaces.patch(&world.team, &PatchParams::default(), &annotated).await.unwrap();
    world.until_image(UNCHANGED).await;
    let (_, warnings) = world.image(&world.team, json!({})).await;
    assert_eq!(warnings.len(), 1);
    let wrong = format!("ConfigMap {}/rules: key `rules`, rule 1: it has no `=>`", world.team);
    assert!(warnings[0].contains(&wrong), "{warnings:?}");
    let events: Api<Event> = Api::namespaced(world.client(), &world.team);
    let event = async {
        loop {
            let all = events.list(&ListParams::default()).await.unwrap();
            if let Some(event) =
                all.items.into_iter().find(|it| it.reason.as_deref() == Some("WrongRewritingRules"))
            {
                return event;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let event = timeout(TIMEOUT, event).await.unwrap();
    assert_eq!(event.regarding.unwrap().name.as_deref(), Some("rules"));

    apply(
        &world.client(),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "rules", "namespace": world.team },
            "data": { "hsc": "main", "rules": "docker.io=>mine" } }),
    )
    .await;
    world.until_image("harbor.example.com/mine/library/nginx:1.27").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_certificate_is_served_and_trusted_without_a_restart() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let bundle = |it: &MutatingWebhookConfiguration| {
        it.webhooks.as_ref().unwrap()[0].client_config.ca_bundle.clone().unwrap()
    };
    let before = bundle(&world.configurations().get(NAME).await.unwrap());
    world.secrets().delete(NAME, &DeleteParams::default()).await.unwrap();
    world.until(world.configurations(), NAME, |it| bundle(it) != before).await;
    world.until_image(HUB).await;
    let secret = world.secrets().get(NAME).await.unwrap();
    let stored = bundle(&world.configurations().get(NAME).await.unwrap());
    assert_eq!(secret.data.unwrap()["ca.crt"], stored);
}

/// Whether two thirds of the life of the first certificate have passed.
static IS_LATER: AtomicBool = AtomicBool::new(false);

/// The API server's clock is the real one, so the first certificate is issued in the past, and is still valid.
fn clock() -> Timestamp {
    let days = if IS_LATER.load(Ordering::SeqCst) { 0 } else { 61 };
    Timestamp::now() - SignedDuration::from_hours(24 * days)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_renewed_in_time_and_no_pod_notices() {
    let world = World::start_as(&["docker.io=>hub"], REWRITING, clock).await;
    world.until_image(HUB).await;
    let before = world.secrets().get(NAME).await.unwrap().data.unwrap();
    let registered = world.configurations().get(NAME).await.unwrap();

    IS_LATER.store(true, Ordering::SeqCst);
    // The operator looks at its certificate every hour, and when the Secret changes.
    let touched = Patch::Merge(json!({ "metadata": { "annotations": { "touched": "yes" } } }));
    world.secrets().patch(NAME, &PatchParams::default(), &touched).await.unwrap();
    let is_renewed = |secret: &Secret| secret.data.as_ref().unwrap()["tls.crt"] != before["tls.crt"];
    let after = world.until(world.secrets(), NAME, is_renewed).await.data.unwrap();
    for _ in 0..5 {
        assert_eq!(world.image(&world.team, json!({})).await, (HUB.to_owned(), vec![]));
    }
    for entry in ["ca.crt", "ca.key", "tls.key"] {
        assert_eq!(after[entry], before[entry], "{entry} stays");
    }
    let unchanged = world.configurations().get(NAME).await.unwrap();
    assert_eq!(unchanged.metadata.resource_version, registered.metadata.resource_version);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_is_deleted_or_changed_comes_back() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let first = world.configurations().get(NAME).await.unwrap();
    world.configurations().delete(NAME, &DeleteParams::default()).await.unwrap();
    let second = world.until(world.configurations(), NAME, |it| it.uid() != first.uid()).await;
    assert_eq!(second.webhooks, first.webhooks);
    let changed = Patch::Json::<()>(
        serde_json::from_value(
            json!([{ "op": "replace", "path": "/webhooks/0/timeoutSeconds", "value": 30 }]),
        )
        .unwrap(),
    );
    world.configurations().patch(NAME, &PatchParams::default(), &changed).await.unwrap();
    let timeout = |it: &MutatingWebhookConfiguration| it.webhooks.as_ref().unwrap()[0].timeout_seconds;
    world.until(world.configurations(), NAME, |it| timeout(it) == Some(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_gets_a_harbor_is_left_alone() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    world.create_harbor(&world.team).await;
    world.until_image(UNCHANGED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_gets_a_registry_without_a_harbor_is_left_alone() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let registry = json!({ "apiVersion": "goharbor.io/v1beta1", "kind": "Registry",
        "metadata": { "name": "acme", "namespace": world.team },
        "spec": {
            "storage": { "driver": { "inmemory": {} } },
        } });
    apply(&world.client(), registry).await;
    world.until_exempt(&world.team).await;
    world.until_image(UNCHANGED).await;
}

// On one thread, the server begins only when the test waits.
#[tokio::test]
async fn a_replica_is_ready_when_it_has_its_first_certificate_and_its_first_rules() {
    let cluster = Cluster::of_images().await;
    let leadership = Leadership::candidate();
    let server = cluster.serve(leadership.clone(), REWRITING).await;
    let missing = |it: &[&str]| Err(HealthError::NotThere(it.iter().map(|&it| it.to_owned()).collect()));
    let (certificate, rules) = ("the certificate of the webhooks", "the rules for images");
    let until = async |wanted: Result<(), HealthError>| {
        let is_so = async || (server.health.ready() == wanted).then_some(()).ok_or(server.health.ready());
        eventually("the health is as expected", is_so).await;
    };
    assert_eq!(server.health.ready(), missing(&[certificate, rules]));
    until(missing(&[certificate])).await;
    leadership.prolong(tokio::time::Instant::now() + Duration::from_hours(1));
    // Nothing of the webhooks is missing. No operator reconciles here.
    until(Err(HealthError::NotStarted)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_that_is_down_delays_no_pod() {
    let mut world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    world.server.end().await;
    assert_eq!(world.image(&world.team, json!({})).await.0, UNCHANGED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_replica_serves_with_the_certificate_of_the_leader_and_registers_itself_when_it_leads() {
    let mut world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    world.server.end().await;
    let registered = world.configurations().get(NAME).await.unwrap();
    let bundle = registered.webhooks.as_ref().unwrap()[0].client_config.ca_bundle.clone().unwrap();

    let leadership = Leadership::candidate();
    world.server = world.serve(leadership.clone(), REWRITING).await;
    let target = WebhookTarget::Url(format!("https://127.0.0.1:{}/mutate-image-path", world.server.port));
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "namespace": world.team,
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "object": { "spec": { "containers": [{ "name": "web", "image": "nginx" }] } },
    } });
    let webhooks = RemoteWebhooks::default();
    let answer = async {
        loop {
            match webhooks.call(&target, &bundle.0, review.clone()).await {
                Ok(answer) => return answer,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let answer = timeout(TIMEOUT, answer).await.unwrap();
    assert!(answer["response"]["patch"].is_string(), "{answer}");
    let unchanged = world.configurations().get(NAME).await.unwrap();
    assert_eq!(unchanged.metadata.resource_version, registered.metadata.resource_version);

    leadership.prolong(tokio::time::Instant::now() + Duration::from_hours(1));
    let url = format!("https://127.0.0.1:{}/mutate-image-path", world.server.port);
    world
        .until(world.configurations(), NAME, |it| {
            it.webhooks.as_ref().unwrap()[0].client_config.url.as_ref() == Some(&url)
        })
        .await;
}
