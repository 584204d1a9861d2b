//! A cluster in memory and in virtual time, with an operator in it whose every request is noted.

use apiserver::ApiServer;
use envtest::clock;
use jiff::Timestamp;
use k8s_openapi::{
    NamespaceResourceScope, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResourceExt, Resource, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::wait::await_condition,
};
use plan::{Component, ComponentKind};
use runtime::{Operator, Options};
use sandbox::StandIns;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// What a kind must be able to do here.
pub trait Kind:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<K> Kind for K where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

pub struct Cluster {
    pub client: Client,
    /// How long a request of the operator takes; no time by default.
    pub latency: Duration,
    server: ApiServer,
    pub options: Options,
    requests: Arc<Mutex<Vec<String>>>,
    /// What the operator may not write, as a part of its path.
    pub forbidden: Arc<Mutex<Option<&'static str>>>,
    operator: Option<(CancellationToken, JoinHandle<()>)>,
    stand_ins: CancellationToken,
    stop: CancellationToken,
}

impl Cluster {
    /// A cluster with stand-ins for its controllers that knows the kind of `C`, and no operator yet.
    pub async fn new<C: Component>(options: Options) -> Self
    where
        C::Owner: CustomResourceExt,
    {
        let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
        let client = Client::new(server.clone(), "default");
        let stop = CancellationToken::new();
        let stand_ins = stop.child_token();
        tokio::spawn(StandIns::new(client.clone()).clock(clock).run(stand_ins.clone()));
        let cluster = Self {
            client,
            latency: Duration::ZERO,
            server,
            options,
            requests: Arc::default(),
            forbidden: Arc::default(),
            operator: None,
            stand_ins,
            stop,
        };
        cluster.install(C::Owner::crd()).await;
        cluster
    }

    pub fn start<C: Component>(&mut self) {
        self.start_all(vec![ComponentKind::of::<C>()]);
    }

    pub fn start_all(&mut self, components: Vec<ComponentKind>) {
        let (requests, server, latency) = (Arc::clone(&self.requests), self.server.clone(), self.latency);
        let forbidden = Arc::clone(&self.forbidden);
        let noted = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            requests.lock().unwrap().push(format!("{} {}", request.method(), request.uri().path()));
            let server = server.clone();
            let forbidden = forbidden.lock().unwrap().is_some_and(|part| request.uri().path().contains(part));
            let refused = forbidden && request.method() != http::Method::GET;
            async move {
                tokio::time::sleep(latency).await;
                if refused { Ok(refusal()) } else { server.oneshot(request).await }
            }
        });
        let client = self.options.metrics.observe(Client::new(noted, "default"));
        let operator = Operator::new(client, components, self.options.clone());
        let stop = self.stop.child_token();
        let stopped = stop.clone();
        let task = tokio::spawn(async move { operator.run(stopped).await.unwrap() });
        self.operator = Some((stop, task));
    }

    /// The same cluster, for an operator that works otherwise.
    pub fn with_options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    pub async fn stop(&mut self) {
        let (stop, task) = self.operator.take().unwrap();
        stop.cancel();
        task.await.unwrap();
    }

    pub async fn restart<C: Component>(&mut self) {
        self.stop().await;
        self.start::<C>();
    }

    /// Sends the stand-ins home: days pass faster without their watches.
    pub fn dismiss_stand_ins(&self) {
        self.stand_ins.cancel();
    }

    pub async fn install(&self, definition: CustomResourceDefinition) {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &definition).await.unwrap();
    }

    pub async fn uninstall(&self, definition: CustomResourceDefinition) {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        api.delete(&definition.name_any(), &DeleteParams::default()).await.unwrap();
    }

    pub fn api<K: Kind>(&self) -> Api<K> {
        Api::default_namespaced(self.client.clone())
    }

    pub async fn create<K: Kind>(&self, object: &K) {
        self.api::<K>().create(&PostParams::default(), object).await.unwrap();
    }

    pub async fn merge<K: Kind>(&self, name: &str, patch: Value) {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    pub async fn delete<K: Kind>(&self, name: &str) {
        self.api::<K>().delete(name, &DeleteParams::default()).await.unwrap();
    }

    pub async fn get<K: Kind>(&self, name: &str) -> K {
        self.api::<K>().get(name).await.unwrap()
    }

    /// Waits up to ten minutes of virtual time.
    pub async fn until<K: Kind>(&self, name: &str, what: &str, holds: impl Fn(&K) -> bool + Send) -> K {
        let held = await_condition(self.api::<K>(), name, |object: Option<&K>| object.is_some_and(&holds));
        assert!(timeout(Duration::from_mins(10), held).await.is_ok(), "{name}: {what}");
        self.get(name).await
    }

    pub async fn find<K: Kind>(&self, name: &str) -> Option<K> {
        self.api::<K>().get_opt(name).await.unwrap()
    }

    /// Waits up to ten minutes of virtual time.
    pub async fn until_gone<K: Kind>(&self, name: &str) {
        let gone = await_condition(self.api::<K>(), name, |object: Option<&K>| object.is_none());
        assert!(timeout(Duration::from_mins(10), gone).await.is_ok(), "{name} is gone");
    }

    /// Waits until the reason of an owner's `Ready` condition is this one, for the newest spec; its message.
    pub async fn until_reason<K: Kind>(&self, name: &str, reason: &str) -> String {
        let owner = self.until::<K>(name, reason, |owner| message(owner, reason).is_some()).await;
        message(&owner, reason).unwrap()
    }

    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn refusal() -> http::Response<apiserver::Body> {
    let status = json!({"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403});
    http::Response::builder().status(403).body(apiserver::Body::full(status.to_string())).unwrap()
}

fn message<K: Kind>(owner: &K, reason: &str) -> Option<String> {
    let owner = json!(owner);
    let ready = owner["status"]["conditions"].as_array()?.iter().find(|c| c["type"] == "Ready")?;
    let newest = ready["observedGeneration"] == owner["metadata"]["generation"];
    (newest && ready["reason"] == reason).then(|| ready["message"].as_str().unwrap_or_default().to_owned())
}
