//! A control plane with our kinds, and a server of webhooks.

use api::conversion::{ConversionWebhook, Version, serve_v1alpha3};
use election::Leadership;
use envtest::{ControlPlane, Setup, TIMEOUT, Turn};
use futures::future::join_all;
use jiff::Timestamp;
use k8s_openapi::{
    api::{
        admissionregistration::v1::MutatingWebhookConfiguration,
        core::v1::{Namespace, Secret},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, Resource, ResourceExt as _,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, ObjectMeta, Patch,
        PatchParams, PostParams,
    },
    runtime::wait::await_condition,
};
use runtime::{Health, Metrics, SystemEntropy};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Debug, ops::Deref, sync::Arc, time::Duration};
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

/// A control plane with our kinds, on which a test has namespaces of its own.
pub struct Cluster {
    pub plane: ControlPlane,
    /// The namespace of the operator.
    pub ops: String,
    /// A namespace where images are rewritten.
    pub team: String,
    /// A namespace where nothing is rewritten.
    pub others: String,
    /// Webhooks are for the whole cluster, so only one test at a time serves them.
    turn: Arc<Turn>,
}

/// A cluster and a server of webhooks.
pub struct World {
    pub cluster: Cluster,
    pub server: Serving,
}

impl Deref for World {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

/// A running server. Dropping it kills it.
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

impl Drop for Serving {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Cluster {
    /// A cluster for this test alone, which changes what is stored.
    pub async fn own(definitions: Vec<CustomResourceDefinition>) -> Self {
        let plane = ControlPlane::start().await.unwrap();
        let turn = plane.turn().await;
        install(&plane, &definitions).await;
        Self::on(plane, turn).await
    }

    /// The cluster that these tests share. It is as if no other test had used it.
    pub async fn shared(tests: &'static str, definitions: Vec<CustomResourceDefinition>) -> Self {
        let plane = Setup::default().apart(tests).shared().await.unwrap();
        let turn = plane.turn().await;
        let mut is_new = false;
        plane
            .once("kinds", async || {
                install(&plane, &definitions).await;
                is_new = true;
            })
            .await;
        let cluster = Self::on(plane, turn).await;
        if !is_new {
            cluster.forget(definitions).await;
        }
        cluster
    }

    async fn on(plane: ControlPlane, turn: Turn) -> Self {
        let labels = BTreeMap::from([("harbor-day2-webhook-configuration".into(), "enabled".into())]);
        let ops = namespace(&plane.client(), "ops", BTreeMap::new()).await;
        let team = namespace(&plane.client(), "team", labels).await;
        let others = namespace(&plane.client(), "others", BTreeMap::new()).await;
        Self { plane, ops, team, others, turn: Arc::new(turn) }
    }

    /// Removes what the test before left behind in the whole cluster.
    async fn forget(&self, definitions: Vec<CustomResourceDefinition>) {
        let configurations: Api<MutatingWebhookConfiguration> = Api::all(self.client());
        match configurations.delete(NAME, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            deleted => drop(deleted.unwrap()),
        }
        let api = Api::<CustomResourceDefinition>::all(self.client());
        for mut definition in definitions {
            let spec = &definition.spec;
            let kind = GroupVersionKind::gvk(&spec.group, Version::V1beta1.name(), &spec.names.kind);
            self.delete_all(&ApiResource::from_gvk_with_plural(&kind, &spec.names.plural)).await;
            if definition.spec.conversion.is_some() {
                let name = definition.name_any();
                definition.metadata.resource_version =
                    api.get_metadata(&name).await.unwrap().resource_version();
                api.replace(&name, &PostParams::default(), &definition).await.unwrap();
            }
        }
    }

    async fn delete_all(&self, resource: &ApiResource) {
        let all: Api<DynamicObject> = Api::all_with(self.client(), resource);
        for object in all.list_metadata(&ListParams::default()).await.unwrap() {
            let api: Api<DynamicObject> = match object.namespace() {
                Some(namespace) => Api::namespaced_with(self.client(), &namespace, resource),
                None => all.clone(),
            };
            api.delete(&object.name_any(), &DeleteParams::default()).await.unwrap();
        }
    }

    pub fn client(&self) -> Client {
        self.plane.client()
    }

    pub fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client(), &self.ops)
    }

    /// Serves webhooks at a port of loopback.
    pub async fn serve(&self, leadership: Leadership, served: Served) -> Serving {
        self.serve_with(self.client(), leadership, served, Timestamp::now).await
    }

    /// The same with this client, at the time of this clock.
    pub async fn serve_with(
        &self,
        client: Client,
        leadership: Leadership,
        served: Served,
        clock: fn() -> Timestamp,
    ) -> Serving {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let certificate = served.certificate.map(|it| Certificate::CertManager(it.into()));
        let settings = Settings {
            namespace: self.ops.clone(),
            name: NAME.into(),
            reach: Reach::At { host: "127.0.0.1".into(), port },
            certificate: certificate.unwrap_or(Certificate::Issued),
            rewriting: served.rewriting.map(|failure_policy| Rewriting { failure_policy }),
            // A real API server takes a moment to see a change of a definition.
            conversion: served.conversion.then_some(Conversion { settled: Duration::from_secs(1) }),
        };
        let stop = CancellationToken::new();
        let (metrics, entropy) = (Arc::<Metrics>::default(), Arc::new(SystemEntropy));
        let health = Arc::<Health>::default();
        let webhooks = WebhookServer {
            client,
            leadership,
            settings,
            metrics,
            health: Arc::clone(&health),
            clock,
            entropy,
        };
        let (turn, served) = (Arc::clone(&self.turn), webhooks.run(listener, stop.clone()));
        let task = tokio::spawn(async move {
            // The next test begins when this server has ended.
            let _turn = turn;
            served.await
        });
        Serving { port, health, stop, task }
    }
}

async fn install(plane: &ControlPlane, definitions: &[CustomResourceDefinition]) {
    let installed = definitions.iter().map(async |definition| {
        // Old servers refuse to apply fields that they do not know.
        match Api::all(plane.client()).create(&PostParams::default(), definition).await {
            // A test that failed had begun to install them.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            created => drop(created.unwrap()),
        }
        plane.until_established(&definition.name_any()).await;
    });
    join_all(installed).await;
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
    pub async fn until<K>(&self, api: Api<K>, name: &str, met: impl Fn(&K) -> bool + Send + Sync) -> K
    where
        K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
    {
        let is_met = |object: Option<&K>| object.is_some_and(&met);
        let found = timeout(TIMEOUT, await_condition(api, name, is_met)).await;
        found.unwrap_or_else(|_| panic!("{name} is not as expected in time")).unwrap().unwrap()
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

/// Creates a namespace, and returns its name.
async fn namespace(client: &Client, prefix: &str, labels: BTreeMap<String, String>) -> String {
    let (generate_name, labels) = (Some(format!("{prefix}-")), Some(labels));
    let metadata = ObjectMeta { generate_name, labels, ..ObjectMeta::default() };
    let object = Namespace { metadata, ..Namespace::default() };
    Api::all(client.clone()).create(&PostParams::default(), &object).await.unwrap().name_any()
}

/// Applies an object as a user.
pub async fn apply(client: &Client, object: Value) {
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let types = object.types.clone().unwrap();
    let kind = GroupVersionKind::try_from(&types).unwrap();
    let resource = ApiResource::from_gvk(&kind);
    let api: Api<DynamicObject> = match object.namespace() {
        Some(namespace) => Api::namespaced_with(client.clone(), &namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let params = PatchParams::apply("test").force();
    api.patch(&object.name_any(), &params, &Patch::Apply(&object)).await.unwrap();
}
