//! An operator for widgets in a namespace of its own, on a real API server, whose every request is noted.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod widget;

use envtest::ControlPlane;
use futures::{StreamExt as _, TryStreamExt as _};
use http::{Method, Request};
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Secret},
        events::v1::Event,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResourceExt as _, Resource, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    client::{Body, ClientBuilder},
    runtime::{
        WatchStreamExt as _,
        wait::{Condition, await_condition, conditions},
    },
};
use runtime::{Operator, Options, Scope};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use tower::util::MapRequestLayer;
use widget::{Widget, WidgetComponent, WidgetSpec};

/// Longer than anything may take (the garbage collector looks for new kinds every 30 s); a test that waits for it has
/// failed.
const PATIENCE: Duration = Duration::from_secs(90);

/// Requests as `METHOD path`, watches left out.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<Mutex<Vec<String>>>);

impl Requests {
    /// What was sent since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn client(&self, config: kube::Config) -> Client {
        let log = Arc::clone(&self.0);
        let note = MapRequestLayer::new(move |request: Request<Body>| {
            if !request.uri().query().is_some_and(|query| query.contains("watch=true")) {
                log.lock().unwrap().push(format!("{} {}", request.method(), request.uri().path()));
            }
            request
        });
        ClientBuilder::try_from(config).unwrap().with_layer(&note).build()
    }
}

/// Only requests that change something.
pub fn writes(requests: &[String]) -> Vec<&String> {
    requests.iter().filter(|request| !request.starts_with(Method::GET.as_str())).collect()
}

/// A namespace with an operator in it.
pub struct World {
    pub plane: ControlPlane,
    pub namespace: String,
    pub requests: Requests,
    pub options: Options,
    operator: Option<(CancellationToken, JoinHandle<()>)>,
}

impl World {
    /// A namespace on the shared control plane, with the widget's definition installed and no operator yet.
    pub async fn new() -> Self {
        Self::on(ControlPlane::shared().await.unwrap()).await
    }

    /// A namespace on this control plane.
    pub async fn on(plane: ControlPlane) -> Self {
        install_widget(plane.client()).await;
        let namespace = plane.create_namespace("engine").await.unwrap();
        let options = Options { scopes: vec![Scope::Namespace(namespace.clone())], ..Options::default() };
        Self { plane, namespace, requests: Requests::default(), options, operator: None }
    }

    /// The same, with the operator running as administrator.
    pub async fn with_operator() -> Self {
        let mut world = Self::new().await;
        world.start_operator();
        world
    }

    pub fn start_operator(&mut self) {
        let config = self.plane.config();
        self.start_operator_as(config);
    }

    pub fn start_operator_as(&mut self, config: kube::Config) {
        let mut operator = Operator::new(self.requests.client(config), self.options.clone());
        operator.register::<WidgetComponent>();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move { operator.run(stopped).await.unwrap() });
        self.operator = Some((stop, task));
    }

    /// Lets reconciles under way come to an end.
    pub async fn stop_operator(&mut self) {
        let (stop, task) = self.operator.take().unwrap();
        stop.cancel();
        timeout(PATIENCE, task).await.expect("the operator stops").unwrap();
    }

    /// Ends the operator wherever it is.
    pub async fn kill_operator(&mut self) {
        let (_, task) = self.operator.take().unwrap();
        task.abort();
        let _aborted = task.await;
    }

    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
    {
        Api::namespaced(self.plane.client(), &self.namespace)
    }

    pub async fn create_widget(&self, name: &str, spec: WidgetSpec) -> Widget {
        self.api().create(&PostParams::default(), &Widget::new(name, spec)).await.unwrap()
    }

    pub async fn create_secret(&self, name: &str, word: &str) {
        let secret: Secret =
            serde_json::from_value(json!({"metadata": {"name": name}, "stringData": {"word": word}}))
                .unwrap();
        self.api().create(&PostParams::default(), &secret).await.unwrap();
    }

    pub async fn merge<K>(&self, name: &str, patch: Value) -> K
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + Debug,
    {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap()
    }

    pub async fn delete<K>(&self, name: &str)
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + Debug,
    {
        self.api::<K>().delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Waits until an object meets a condition, and returns it.
    pub async fn until<K>(&self, name: &str, condition: impl Fn(&K) -> bool + Send + Sync) -> K
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + Serialize
            + Debug
            + Send
            + Sync
            + 'static,
    {
        let met = |object: Option<&K>| object.is_some_and(&condition);
        match timeout(PATIENCE, await_condition(self.api::<K>(), name, met)).await {
            Ok(object) => object.unwrap().unwrap(),
            Err(_) => {
                let now = self.api::<K>().get_opt(name).await.unwrap();
                let now = serde_json::to_string_pretty(&now).unwrap();
                panic!("{} {name} did not come to what was waited for: {now}", K::kind(&()));
            }
        }
    }

    pub async fn until_gone<K>(&self, name: &str)
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + Debug
            + Send
            + Sync
            + 'static,
    {
        let Some(object) = self.api::<K>().get_opt(name).await.unwrap() else { return };
        let uid = object.uid().unwrap();
        let gone = conditions::is_deleted(&uid);
        timeout(PATIENCE, await_condition(self.api::<K>(), name, gone))
            .await
            .expect("it is deleted")
            .unwrap();
    }

    /// Waits for a condition of the widget's status at its newest generation.
    pub async fn until_condition(&self, name: &str, kind: &'static str, status: &'static str) -> Widget {
        self.until::<Widget>(name, move |widget| {
            condition(widget, kind).is_some_and(|(now, generation, ..)| {
                now == status && (generation == widget.metadata.generation || kind == "Paused")
            })
        })
        .await
    }

    /// Does what the Deployment controller and the kubelets would.
    pub async fn make_available(&self, name: &str) {
        let deployment = self.until::<Deployment>(name, |_| true).await;
        let replicas = deployment.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
        let status = json!({"status": {
            "observedGeneration": deployment.metadata.generation,
            "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas,
        }});
        let api = self.api::<Deployment>();
        api.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    }

    /// A widget that has become ready.
    pub async fn ready_widget(&self, name: &str, spec: WidgetSpec) -> Widget {
        self.create_widget(name, spec).await;
        self.make_available(&format!("{name}-widget")).await;
        self.until_condition(name, "Ready", "True").await
    }

    /// Waits until the operator has sent nothing for a while, and returns what it sent until then.
    ///
    /// The while is long against the latency of a request on loopback, so that a request that will come has come.
    pub async fn until_quiet(&self) -> Vec<String> {
        let mut all = self.requests.take();
        loop {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let more = self.requests.take();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }

    /// What kubectl prints, in the world's namespace.
    pub async fn kubectl(&self, arguments: &[&str]) -> String {
        let output =
            self.plane.kubectl(["--namespace", &self.namespace]).args(arguments).output().await.unwrap();
        assert!(
            output.status.success(),
            "kubectl {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits for an event about a widget.
    pub async fn until_event(&self, widget: &str, reason: &str) {
        let config = kube::runtime::watcher::Config::default();
        let events = kube::runtime::watcher(self.api::<Event>(), config).applied_objects();
        let about = |event: &Event| {
            event.regarding.as_ref().and_then(|object| object.name.as_deref()) == Some(widget)
                && event.reason.as_deref() == Some(reason)
        };
        let mut seen = std::pin::pin!(events.try_filter(|event| std::future::ready(about(event))));
        timeout(PATIENCE, seen.next()).await.expect("the event comes").unwrap().unwrap();
    }

    pub async fn config(&self, name: &str) -> ConfigMap {
        self.api().get(name).await.unwrap()
    }
}

/// Status, observed generation, reason and message of a condition.
pub fn condition(widget: &Widget, kind: &str) -> Option<(String, Option<i64>, String, String)> {
    let condition = widget.status.as_ref()?.conditions.iter().find(|condition| condition.type_ == kind)?;
    Some((
        condition.status.clone(),
        condition.observed_generation,
        condition.reason.clone().unwrap_or_default(),
        condition.message.clone().unwrap_or_default(),
    ))
}

/// Reason and message of a condition that holds.
pub fn told(widget: &Widget, kind: &str) -> (String, String) {
    let (status, _, reason, message) = condition(widget, kind).expect("the condition exists");
    assert_eq!(status, "True", "{kind}");
    (reason, message)
}

async fn install_widget(client: Client) {
    let crd = Widget::crd();
    let api: Api<CustomResourceDefinition> = Api::all(client);
    let name = crd.name_any();
    api.patch(&name, &PatchParams::apply("test").force(), &Patch::Apply(&crd)).await.unwrap();
    let established = conditions::is_crd_established();
    let served =
        await_condition(api, &name, |crd: Option<&CustomResourceDefinition>| established.matches_object(crd));
    timeout(PATIENCE, served).await.expect("the definition is established").unwrap();
}
