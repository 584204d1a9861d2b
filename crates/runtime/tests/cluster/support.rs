//! An operator for widgets in a namespace of its own, on a real API server, whose every request is noted.

#[path = "../support/depot.rs"]
#[allow(dead_code, reason = "shared with tests that need all of it")]
pub mod depot;
#[path = "../support/gadget.rs"]
pub mod gadget;
#[path = "../support/shelf.rs"]
pub mod shelf;
#[path = "../support/widget.rs"]
pub mod widget;

use envtest::{ControlPlane, Namespace, Requests, TIMEOUT};
use gadget::{Gadget, GadgetComponent};
use k8s_openapi::{
    api::core::v1::Secret, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::CustomResourceExt as _;
use plan::ComponentKind;
use runtime::{Operator, Options, Scope};
use serde_json::json;
use std::ops::Deref;
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use widget::{Widget, WidgetComponent, WidgetSpec};

/// A namespace with an operator in it.
pub struct World {
    pub namespace: Namespace,
    pub requests: Requests,
    pub options: Options,
    pub components: Vec<ComponentKind>,
    operator: Option<(CancellationToken, JoinHandle<()>)>,
}

impl Deref for World {
    type Target = Namespace;

    fn deref(&self) -> &Namespace {
        &self.namespace
    }
}

impl World {
    /// A namespace on the shared control plane, with the definitions of our kinds installed and no operator yet.
    pub async fn new() -> Self {
        Self::on(ControlPlane::shared().await.unwrap()).await
    }

    /// A namespace on this control plane.
    pub async fn on(plane: ControlPlane) -> Self {
        plane.once("widgets", async || install(&plane, &[Widget::crd(), Gadget::crd()]).await).await;
        let namespace = Namespace::create(plane, "engine").await;
        let options =
            Options { scopes: vec![Scope::Namespace(namespace.name.clone())], ..Options::default() };
        let components = vec![ComponentKind::of::<WidgetComponent>(), ComponentKind::of::<GadgetComponent>()];
        Self { namespace, requests: Requests::default(), options, components, operator: None }
    }

    /// The same, with the operator running as administrator.
    pub async fn with_operator() -> Self {
        let mut world = Self::new().await;
        world.start_operator();
        world
    }

    pub fn start_operator(&mut self) {
        self.start_operator_as(self.plane.config());
    }

    pub fn start_operator_as(&mut self, config: kube::Config) {
        let client = self.requests.client(config).unwrap();
        let operator = Operator::new(client, self.components.clone(), self.options.clone());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move { operator.run(stopped).await.unwrap() });
        self.operator = Some((stop, task));
    }

    /// Lets reconciles under way come to an end.
    pub async fn stop_operator(&mut self) {
        let (stop, task) = self.operator.take().unwrap();
        stop.cancel();
        timeout(TIMEOUT, task).await.expect("the operator stops").unwrap();
    }

    /// Ends the operator wherever it is.
    pub async fn kill_operator(&mut self) {
        let (_, task) = self.operator.take().unwrap();
        task.abort();
        let _aborted = task.await;
    }

    pub async fn create_widget(&self, name: &str, spec: WidgetSpec) -> Widget {
        self.post(&Widget::new(name, spec)).await
    }

    pub async fn create_secret(&self, name: &str, word: &str) {
        self.post_json::<Secret>(json!({"metadata": {"name": name}, "stringData": {"word": word}})).await;
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

    /// A widget that has become ready.
    pub async fn ready_widget(&self, name: &str, spec: WidgetSpec) -> Widget {
        self.create_widget(name, spec).await;
        self.make_available(&format!("{name}-widget")).await;
        self.until_condition(name, "Ready", "True").await
    }

    pub async fn until_quiet(&self) -> Vec<String> {
        self.requests.until_quiet().await
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
pub fn true_condition(widget: &Widget, kind: &str) -> (String, String) {
    let (status, _, reason, message) = condition(widget, kind).expect("the condition exists");
    assert_eq!(status, "True", "{kind}");
    (reason, message)
}

/// Installs definitions, and waits until their objects can be owners.
pub async fn install(plane: &ControlPlane, definitions: &[CustomResourceDefinition]) {
    plane.install(definitions).await;
    plane.until_owners(|| definitions.to_vec()).await;
}
