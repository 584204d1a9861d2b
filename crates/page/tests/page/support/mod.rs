//! A page without an operator: tests tell the store what an operator would.

#![allow(dead_code, reason = "each test binary uses what it needs")]

use apiserver::ApiServer;
use axum::{Router, body::Body};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{Client, core::ApiResource};
use page::{Page, Reach, Setup, Store};
use plan::{ObjectKey, Verdict};
use progress::{Observer as _, Planned, Progress, Stage, State, Summary};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// When all of it happens.
pub fn now() -> Timestamp {
    "2026-01-02T03:04:05Z".parse().unwrap()
}

pub fn key(kind: &str, name: &str) -> ObjectKey {
    let group = match kind {
        "Stack" => "example.com",
        "Deployment" => "apps",
        _ => "",
    };
    ObjectKey::new(group, kind, "ns", name)
}

fn summary(object: &Value) -> Summary {
    let text = |field: &str| object["spec"][field].as_str().map(Into::into);
    Summary { version: text("version"), url: text("url") }
}

pub struct World {
    pub store: Arc<Store>,
    pub client: Client,
    pub stop: CancellationToken,
    router: Router,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

/// Server-sent events, as they come.
pub struct Stream(Body);

impl Stream {
    pub async fn next(&mut self) -> String {
        let frame = self.0.frame().await.unwrap().unwrap();
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    }
}

impl World {
    /// A page without objects, and a cluster with an empty namespace.
    pub async fn new() -> Self {
        Self::at(now).await
    }

    pub async fn at(clock: fn() -> Timestamp) -> Self {
        let server = ApiServer::builder().seed(1).start(now()).build().unwrap();
        let client = Client::new(server, "ns");
        let store = Arc::new(Store::new(summary, clock));
        let stop = CancellationToken::new();
        let router = page(&store, client.clone(), &stop).router(Reach::Machine);
        let world = Self { store, client, stop, router };
        world
            .create(
                "/api/v1/namespaces",
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}),
            )
            .await;
        world
    }

    /// A stack of which one part is ready, the next waits, and the last is blocked by that.
    pub async fn a_stack() -> Self {
        let world = Self::new().await;
        world.build().await;
        world
    }

    pub async fn build(&self) {
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "stringData": {"password": "hunter2"},
            "metadata": {"name": "harbor-keys", "namespace": "ns", "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{\"stringData\":{\"password\":\"hunter2\"}}",
            }},
        });
        self.create("/api/v1/namespaces/ns/secrets", secret).await;
        self.report_a_stack();
    }

    /// Creates the Deployment `harbor-core` with a pod that crashes.
    pub async fn crash(&self) {
        let labels = json!({"app": "core", "pod-template-hash": "a"});
        let template = json!({
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "core", "image": "core:1"}]},
        });
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "harbor-core"},
            "spec": {"selector": {"matchLabels": {"app": "core"}}, "template": template},
        });
        let created = self.create("/apis/apps/v1/namespaces/ns/deployments", deployment).await;
        let owner = |kind: &str, name: &str, owner: &Value| {
            let uid = &owner["metadata"]["uid"];
            json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}])
        };
        let of_deployment = owner("Deployment", "harbor-core", &created);
        let set = json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": "harbor-core-a", "labels": labels, "ownerReferences": of_deployment},
            "spec": {"selector": {"matchLabels": labels}, "template": template},
        });
        let created = self.create("/apis/apps/v1/namespaces/ns/replicasets", set).await;
        let of_set = owner("ReplicaSet", "harbor-core-a", &created);
        let words = "\u{1b}[1m<script>panic</script>\u{1b}[0m redis://:hunter2@redis";
        let log = format!("{}core", apiserver::LOG_ANNOTATIONS);
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
            "metadata": {
                "name": "harbor-core-a-1", "labels": labels, "annotations": {log: words}, "ownerReferences": of_set,
            },
        });
        self.create("/api/v1/namespaces/ns/pods", pod).await;
        let ended = json!({"exitCode": 1, "reason": "Error", "finishedAt": "2026-01-02T03:03:53Z"});
        let container = json!({
            "name": "core", "image": "core:1", "imageID": "", "ready": false, "restartCount": 7,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": ended},
        });
        let status = json!({"status": {"phase": "Running", "containerStatuses": [container]}});
        self.patch_status("/api/v1/namespaces/ns/pods/harbor-core-a-1", status).await;
    }

    /// Reports the progress of a stack, as an operator would.
    pub fn report_a_stack(&self) {
        let stack = key("Stack", "harbor");
        self.see(&stack, json!({"spec": {"version": "2.15.0", "url": "https://registry.example"}}));
        let parts: [(&str, &str, &[usize]); 3] = [
            ("Secret", "harbor-keys", &[]),
            ("Deployment", "harbor-core", &[0]),
            ("Deployment", "harbor-jobs", &[1]),
        ];
        self.plan(&stack, &parts);
        self.child(&stack, ("Secret", "harbor-keys"), State::Ready);
        let why = "0 of 1 replicas are available".to_owned();
        self.child(&stack, ("Deployment", "harbor-core"), State::Waiting(why.clone()));
        let by = key("Deployment", "harbor-core");
        self.child(&stack, ("Deployment", "harbor-jobs"), State::Blocked { by });
        let message = format!("Deployment ns/harbor-core: {why}");
        self.report(&stack, Stage::Concluded(Verdict::Progressing { reason: Verdict::WAITING, message }));
    }

    /// The same page for an operator that may read nothing.
    pub fn forbid(self) -> Self {
        let refuse = tower::service_fn(|_: Request<kube::client::Body>| async {
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403});
            let answer = http::Response::builder()
                .status(403)
                .body(kube::client::Body::from(status.to_string().into_bytes()));
            answer.map_err(|error| Box::new(error) as Box<dyn std::error::Error + Send + Sync>)
        });
        let client = Client::new(refuse, "ns");
        let router = page(&self.store, client.clone(), &self.stop).router(Reach::Machine);
        Self { client, router, ..self }
    }

    pub fn page(&self) -> Page {
        page(&self.store, self.client.clone(), &self.stop)
    }

    pub async fn create(&self, collection: &str, object: Value) -> Value {
        let request = Request::post(collection).header("content-type", "application/json");
        let request = request.body(object.to_string().into_bytes()).unwrap();
        self.client.request::<Value>(request).await.unwrap()
    }

    pub async fn patch_status(&self, object: &str, patch: Value) {
        let request =
            Request::patch(format!("{object}/status")).header("content-type", "application/merge-patch+json");
        let request = request.body(patch.to_string().into_bytes()).unwrap();
        self.client.request::<Value>(request).await.unwrap();
    }

    pub fn see(&self, owner: &ObjectKey, object: Value) {
        self.store.see(owner, &|| object.clone());
    }

    pub fn report(&self, owner: &ObjectKey, stage: Stage) {
        self.store.observe(Progress { owner: owner.clone(), stage });
    }

    pub fn plan(&self, owner: &ObjectKey, parts: &[(&str, &str, &[usize])]) {
        let planned = |(kind, name, after): &(&str, &str, &[usize])| Planned {
            object: key(kind, name),
            after: after.to_vec(),
        };
        self.report(owner, Stage::Planned(parts.iter().map(planned).collect()));
    }

    pub fn child(&self, owner: &ObjectKey, (kind, name): (&str, &str), state: State) {
        self.report(owner, Stage::Child { object: key(kind, name), state });
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(&Method::GET, path, "127.0.0.1:8090").await
    }

    pub async fn ask(&self, method: &Method, path: &str, host: &str) -> Answer {
        let (parts, body) = self.response(method, path, host).await.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, text }
    }

    pub async fn stream(&self, path: &str) -> Stream {
        let response = self.response(&Method::GET, path, "localhost").await;
        assert_eq!(response.status(), StatusCode::OK);
        Stream(response.into_body())
    }

    async fn response(&self, method: &Method, path: &str, host: &str) -> http::Response<Body> {
        let request = Request::builder().method(method).uri(path).header("host", host);
        self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    }
}

fn page(store: &Arc<Store>, client: Client, stop: &CancellationToken) -> Page {
    let kinds = vec![ApiResource::erase::<Secret>(&()), ApiResource::erase::<Deployment>(&())];
    let setup =
        Setup { title: "Harbor operator", listed: vec!["Stack"], status: Some("operator status"), kinds };
    Page::new(Arc::clone(store), client, setup, stop.clone())
}
