//! A control plane with our kinds, and a server of webhooks.

use api::conversion::{ConversionWebhook, serve_v1alpha3};
use election::Leadership;
use envtest::{ControlPlane, TIMEOUT};
use jiff::Timestamp;
use k8s_openapi::{
    api::core::v1::{Namespace, Secret},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, Resource, ResourceExt as _,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
    core::DynamicObject,
    runtime::wait::await_condition,
};
use runtime::{Health, Metrics, SystemEntropy};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{fmt::Debug, sync::Arc, time::Duration};
use tokio::{net::TcpListener, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use webhookserver::{Certificate, Conversion, FailurePolicy, Reach, Rewriting, Settings, WebhookServer};

/// The name of the Service, the Secret and the configuration.
pub const NAME: &str = "hooks";

/// Only the webhook that rewrites images.
pub const REWRITING: Served =
    Served { rewriting: Some(FailurePolicy::Ignore), conversion: false, certificate: None };
/// Only the webhook that converts objects.
pub const CONVERSION: Served = Served { rewriting: None, conversion: true, certificate: None };
/// Both webhooks.
pub const BOTH: Served = Served { conversion: true, ..REWRITING };

/// Which webhooks are served, and how.
#[derive(Clone, Copy)]
pub struct Served {
    pub rewriting: Option<FailurePolicy>,
    pub conversion: bool,
    /// The Certificate of cert-manager, if the operator issues none.
    pub certificate: Option<&'static str>,
}

/// The kinds that rules, and namespaces without rules, come from.
pub const SOURCES: [&str; 5] = ["Core", "Harbor", "HarborCluster", "HarborServerConfiguration", "Registry"];

/// A control plane of its own, because webhooks are for the whole cluster.
pub struct World {
    pub plane: ControlPlane,
    pub server: Serving,
}

/// A running server.
pub struct Serving {
    pub port: u16,
    /// Not ready before the server is. The watches of an operator are never listed.
    pub health: Arc<Health>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), rustls::Error>>,
}

impl Serving {
    /// Tells the server to stop.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Stops the server.
    pub async fn end(&mut self) {
        self.stop();
        (&mut self.task).await.unwrap().unwrap();
    }

    /// Ends the server as a signal does that a process cannot catch.
    pub fn kill(&self) {
        self.task.abort();
    }
}

/// A control plane with these definitions, and the namespaces `ops`, `team`, where images are rewritten, and `others`.
pub async fn plane(definitions: Vec<CustomResourceDefinition>) -> ControlPlane {
    let plane = ControlPlane::start().await.unwrap();
    let client = plane.client();
    for definition in definitions {
        let name = definition.name_any();
        // Old servers refuse to apply fields that they do not know.
        Api::all(client.clone()).create(&PostParams::default(), &definition).await.unwrap();
        plane.until_established(&name).await;
    }
    namespace(&client, json!({ "name": "ops" })).await;
    let labels = json!({ "harbor-day2-webhook-configuration": "enabled" });
    namespace(&client, json!({ "name": "team", "labels": labels })).await;
    namespace(&client, json!({ "name": "others" })).await;
    plane
}

/// The definitions of these kinds.
pub fn definitions(kinds: &[&str]) -> Vec<CustomResourceDefinition> {
    kinds.iter().map(|kind| api::crds::of(kind).unwrap()).collect()
}

/// The definitions of these kinds with both versions, as a user installs them. The webhook in them does not exist.
pub fn with_v1alpha3(kinds: &[&str]) -> Vec<CustomResourceDefinition> {
    let webhook = ConversionWebhook::Service { namespace: "nowhere".into(), name: "none".into() };
    serve_v1alpha3(definitions(kinds), &webhook)
}

impl World {
    pub fn client(&self) -> Client {
        self.plane.client()
    }

    pub async fn until<K>(&self, api: Api<K>, name: &str, met: impl Fn(&K) -> bool + Send + Sync) -> K
    where
        K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
    {
        let is_met = |object: Option<&K>| object.is_some_and(&met);
        let found = timeout(TIMEOUT, await_condition(api, name, is_met)).await;
        found.unwrap_or_else(|_| panic!("{name} is not as expected in time")).unwrap().unwrap()
    }

    pub fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client(), "ops")
    }
}

/// Waits until an answer is as expected: API servers learn of a registration after a while.
pub async fn eventually<T, E: Debug>(what: &str, mut ask: impl AsyncFnMut() -> Result<T, E>) -> T {
    let mut last = None;
    let answer = async {
        loop {
            match ask().await {
                Ok(answer) => return answer,
                Err(error) => last = Some(error),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let answered = timeout(TIMEOUT, answer).await;
    answered.unwrap_or_else(|_| panic!("{what}: {last:?}"))
}

/// Serves webhooks at a port of loopback.
pub async fn serve(client: &Client, leadership: Leadership, served: Served) -> Serving {
    serve_at(client, leadership, served, Timestamp::now).await
}

/// The same, at the time of this clock.
pub async fn serve_at(
    client: &Client,
    leadership: Leadership,
    served: Served,
    clock: fn() -> Timestamp,
) -> Serving {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let settings = Settings {
        namespace: "ops".into(),
        name: NAME.into(),
        reach: Reach::At { host: "127.0.0.1".into(), port },
        certificate: served.certificate.map_or(Certificate::Issued, |it| Certificate::CertManager(it.into())),
        rewriting: served.rewriting.map(|failure_policy| Rewriting { failure_policy }),
        // A real API server takes a moment to see a change of a definition.
        conversion: served.conversion.then_some(Conversion { settled: Duration::from_secs(1) }),
    };
    let stop = CancellationToken::new();
    let (metrics, entropy) = (Arc::<Metrics>::default(), Arc::new(SystemEntropy));
    let (client, health) = (client.clone(), Arc::<Health>::default());
    let webhooks =
        WebhookServer { client, leadership, settings, metrics, health: Arc::clone(&health), clock, entropy };
    Serving { port, health, stop: stop.clone(), task: tokio::spawn(webhooks.run(listener, stop)) }
}

async fn namespace(client: &Client, metadata: Value) {
    let metadata: ObjectMeta = serde_json::from_value(metadata).unwrap();
    let object = Namespace { metadata, ..Namespace::default() };
    Api::all(client.clone()).create(&PostParams::default(), &object).await.unwrap();
}

/// Applies an object as a user.
pub async fn apply(client: &Client, object: Value) {
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let types = object.types.clone().unwrap();
    let kind = kube::core::GroupVersionKind::try_from(&types).unwrap();
    let resource = kube::core::ApiResource::from_gvk(&kind);
    let api: Api<DynamicObject> = match object.namespace() {
        Some(namespace) => Api::namespaced_with(client.clone(), &namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let params = PatchParams::apply("test").force();
    api.patch(&object.name_any(), &params, &Patch::Apply(&object)).await.unwrap();
}
