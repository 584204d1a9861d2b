//! A cluster and a Harbor in memory, with an operator between them.

use crate::connection::{Connection, Counted, Last};
use apiserver::{ApiServer, Faults, Plan};
use envtest::clock;
use harbordriver::HarborDriver;
use harborserver::{HarborServer, TokioClock, Version};
use harborstate::Access;
use jiff::Timestamp;
use k8s_openapi::api::{
    core::v1::{Event, Secret},
    events::v1 as events,
};
use kube::{
    Api, Client, Resource,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    core::NamespaceResourceScope,
    runtime::wait::await_condition,
};
use plan::{ComponentKind, Defaults};
use runtime::{Operator, Options};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize},
    },
    time::Duration,
};
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use tower::{Service as _, ServiceExt as _};

pub const PASSWORD: &str = "Harbor12345";

/// The field manager of the old operator.
pub const OLD_OPERATOR: &str = "manager";

/// How often the operator compares.
pub const INTERVAL: Duration = Duration::from_mins(5);

/// What a kind must be able to do here.
pub trait Kind:
    Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> Kind for K where
    K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// A cluster with the HarborServerConfiguration `acme` of a Harbor, and an operator.
pub struct World {
    pub client: Client,
    pub harbor: HarborServer,
    /// How many answers to writes of the operator get lost next, after Harbor has done what they ask for.
    pub lost_answers: Arc<AtomicUsize>,
    /// Whether Harbor cannot be reached.
    pub is_down: Arc<AtomicBool>,
    /// The HarborServerConfiguration that the operator uses for objects that name no Harbor.
    pub default_harbor: Option<String>,
    /// What goes wrong with requests to Harbor. Nothing unless set before the operator starts.
    pub faults: Faults,
    /// The last request to Harbor that arrives.
    last: Arc<Last>,
    /// The last request to the API server that arrives.
    last_to_cluster: Arc<Last>,
    /// What the operator reconciles.
    pub components: Vec<ComponentKind>,
    server: ApiServer,
    requests: Arc<Mutex<Vec<String>>>,
    operator: Option<(CancellationToken, JoinHandle<()>)>,
    stop: CancellationToken,
}

impl World {
    /// With Harbor 2.15.2.
    pub async fn new() -> Self {
        Self::with_version(Version::new(15, 2)).await
    }

    pub async fn with_version(version: Version) -> Self {
        let mut world = Self::without_operator(version).await;
        world.start();
        world
    }

    pub async fn without_operator(version: Version) -> Self {
        let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
        let client = Client::new(server.clone(), "default");
        let ours = || api::crds::all().iter().map(|definition| json!(definition)).collect();
        server.adopt(envtest::accepted("our-kinds", ours));
        let world = Self {
            client,
            harbor: HarborServer::builder(version, PASSWORD)
                .clock(TokioClock::starting_at(Timestamp::UNIX_EPOCH))
                .build(),
            lost_answers: Arc::default(),
            is_down: Arc::default(),
            default_harbor: None,
            faults: Faults::new(0, Plan::none()),
            last: Arc::default(),
            last_to_cluster: Arc::default(),
            components: components::all(),
            server,
            requests: Arc::default(),
            operator: None,
            stop: CancellationToken::new(),
        };
        world.secret("acme-credentials", &[("accessKey", "admin"), ("accessSecret", PASSWORD)]).await;
        world
            .create(json!({
                "kind": "HarborServerConfiguration", "metadata": {"name": "acme"},
                "spec": {
                    "serverURL": "https://harbor.example.com", "version": "v2.15.2",
                    "accessCredential": {"namespace": "default", "accessSecretRef": "acme-credentials"},
                },
            }))
            .await;
        world
    }

    pub fn start(&mut self) {
        let (requests, server) = (Arc::clone(&self.requests), self.server.clone());
        let last = Arc::clone(&self.last_to_cluster);
        let noted = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            requests.lock().unwrap().push(format!("{} {}", request.method(), request.uri().path()));
            let (last, is_write) = (Arc::clone(&last), request.method() != http::Method::GET);
            let answer = server.clone().oneshot(request);
            async move { last.answer(is_write, answer).await }
        });
        let connection = Connection {
            harbor: self.harbor.clone(),
            faults: self.faults.clone(),
            lost_answers: Arc::clone(&self.lost_answers),
            is_down: Arc::clone(&self.is_down),
            last: Arc::clone(&self.last),
        };
        let driver =
            HarborDriver::over(move |access: &Access| harbordriver::over(connection.service(), access));
        let options = Options {
            clock,
            external_drivers: vec![Arc::new(driver)],
            external_interval: INTERVAL,
            defaults: Defaults { harbor: self.default_harbor.clone(), ..Defaults::default() },
            predecessors: [OLD_OPERATOR.to_owned()].into(),
            ..Options::default()
        };
        let operator = Operator::new(Client::new(noted, "default"), self.components.clone(), options);
        let stop = self.stop.child_token();
        let stopped = stop.clone();
        let task = tokio::spawn(async move { operator.run(stopped).await.unwrap() });
        self.operator = Some((stop, task));
    }

    pub async fn restart(&mut self) {
        let (stop, task) = self.operator.take().unwrap();
        stop.cancel();
        task.await.unwrap();
        self.start();
    }

    /// Runs the operator until it has sent this many requests to Harbor, and kills it before the last is answered.
    pub async fn run_until_request(&mut self, counted: Counted, number: usize) {
        self.run_until(Arc::clone(&self.last), counted, number).await;
    }

    /// Runs the operator until it has sent this many writes to the API server, and kills it before the last is answered.
    pub async fn run_until_write_to_cluster(&mut self, number: usize) {
        self.run_until(Arc::clone(&self.last_to_cluster), Counted::Writes, number).await;
    }

    async fn run_until(&mut self, last: Arc<Last>, counted: Counted, number: usize) {
        last.set(counted, number);
        self.start();
        let reached = timeout(Duration::from_mins(30), last.reached()).await;
        assert!(reached.is_ok(), "the operator sends {number} requests");
        self.kill();
        last.clear();
    }

    /// Stops the operator in the middle of what it does.
    pub fn kill(&mut self) {
        let (_, task) = self.operator.take().unwrap();
        task.abort();
    }

    pub fn api<K: Kind<Scope = NamespaceResourceScope>>(&self) -> Api<K> {
        Api::default_namespaced(self.client.clone())
    }

    /// Creates an object of a kind of the operator, in the namespace that it names, or in `default`.
    pub async fn create(&self, object: Value) {
        let mut object = object;
        object["apiVersion"] = "goharbor.io/v1beta1".into();
        let kind = object["kind"].as_str().unwrap();
        let plural = format!("{}s", kind.to_lowercase());
        let place = if kind == "HarborServerConfiguration" {
            String::new()
        } else {
            format!("namespaces/{}/", object["metadata"]["namespace"].as_str().unwrap_or("default"))
        };
        let path = format!("/apis/goharbor.io/v1beta1/{place}{plural}");
        let request = http::Request::post(path)
            .header("content-type", "application/json")
            .body(serde_json::to_vec(&object).unwrap())
            .unwrap();
        self.client.request::<Value>(request).await.unwrap();
    }

    pub async fn secret(&self, name: &str, values: &[(&str, &str)]) {
        let data: serde_json::Map<_, _> =
            values.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        let secret: Secret =
            serde_json::from_value(json!({"metadata": {"name": name}, "stringData": data})).unwrap();
        self.api::<Secret>().create(&PostParams::default(), &secret).await.unwrap();
    }

    pub async fn merge<K: Kind<Scope = NamespaceResourceScope>>(&self, name: &str, patch: Value) {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    pub async fn delete<K: Kind<Scope = NamespaceResourceScope>>(&self, name: &str) {
        self.api::<K>().delete(name, &DeleteParams::default()).await.unwrap();
    }

    pub async fn get<K: Kind<Scope = NamespaceResourceScope>>(&self, name: &str) -> Value {
        serde_json::to_value(self.api::<K>().get(name).await.unwrap()).unwrap()
    }

    /// A condition of an object.
    pub async fn condition<K: Kind<Scope = NamespaceResourceScope>>(&self, name: &str, type_: &str) -> Value {
        condition(&self.get::<K>(name).await, type_)
    }

    /// The notes of the events with this reason.
    pub async fn event_notes(&self, reason: &str) -> Vec<String> {
        let events =
            Api::<events::Event>::all(self.client.clone()).list(&ListParams::default()).await.unwrap();
        let events = events.items.into_iter().filter(|event| event.reason.as_deref() == Some(reason));
        events.map(|event| event.note.unwrap_or_default()).collect()
    }

    /// Waits up to ten minutes of virtual time until the reason of the `Ready` condition is this one, for the newest spec;
    /// its message.
    pub async fn until_reason<K: Kind<Scope = NamespaceResourceScope>>(
        &self,
        name: &str,
        reason: &str,
    ) -> String {
        self.until_reason_of(self.api::<K>(), name, reason).await
    }

    pub async fn until_reason_of<K>(&self, api: Api<K>, name: &str, reason: &str) -> String
    where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    {
        self.until(api, name, &[reason]).await.1
    }

    /// Waits like [`Self::until_reason`] for one of several reasons, and tells which it is.
    pub async fn until_one_of<'a, K>(&self, api: Api<K>, name: &str, reasons: &[&'a str]) -> &'a str
    where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    {
        self.until(api, name, reasons).await.0
    }

    async fn until<'a, K>(&self, api: Api<K>, name: &str, reasons: &[&'a str]) -> (&'a str, String)
    where
        K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    {
        let held = |object: &K| {
            reasons.iter().find_map(|reason| message(object, reason).map(|message| (*reason, message)))
        };
        let holds = |object: Option<&K>| object.is_some_and(|it| held(it).is_some());
        let waited = timeout(Duration::from_mins(10), await_condition(api.clone(), name, holds)).await;
        let Ok(Ok(Some(object))) = waited else {
            let object = api.get_opt(name).await.unwrap();
            panic!("{name} does not become {}: {:#}", reasons.join(" or "), json!(object)["status"]);
        };
        held(&object).unwrap()
    }

    /// Waits up to ten minutes of virtual time.
    pub async fn until_gone<K: Kind<Scope = NamespaceResourceScope>>(&self, name: &str) {
        let gone = await_condition(self.api::<K>(), name, |object: Option<&K>| object.is_none());
        assert!(timeout(Duration::from_mins(10), gone).await.is_ok(), "{name} is gone");
    }

    /// The values of a Secret.
    pub async fn secret_values(&self, name: &str) -> BTreeMap<String, String> {
        let values = self.api::<Secret>().get(name).await.unwrap().data.unwrap_or_default();
        values.into_iter().map(|(key, value)| (key, String::from_utf8(value.0).unwrap())).collect()
    }

    /// The names of all Secrets but that of the HarborServerConfiguration.
    pub async fn secret_names(&self) -> Vec<String> {
        let secrets = self.api::<Secret>().list(&ListParams::default()).await.unwrap();
        let names = secrets.items.into_iter().filter_map(|secret| secret.metadata.name);
        names.filter(|name| name != "acme-credentials").collect()
    }

    /// The status with which Harbor answers a user.
    pub async fn status_for(&self, username: &str, password: &str, path: &str) -> u16 {
        let request = http::Request::get(format!("/api/v2.0{path}"))
            .header("authorization", format!("Basic {}", base64(&format!("{username}:{password}"))))
            .header("x-is-resource-name", "true")
            .body(http_body_util::Full::new(bytes::Bytes::new()))
            .unwrap();
        let Ok(answer) = self.harbor.clone().call(request).await;
        answer.status().as_u16()
    }

    /// Whether the credentials in a Secret are those of a robot account that Harbor accepts. Harbor answers many requests with
    /// a wrong password as those of a visitor.
    pub async fn logs_in_as_robot(&self, secret: &str) -> bool {
        let robot = self.secret_values(secret).await;
        self.status_for(&robot["username"], &robot["password"], "/users/current").await == 412
    }

    /// Everything that users without access to Secrets can read: objects of a kind, and events.
    pub async fn readable<K: Kind<Scope = NamespaceResourceScope>>(&self) -> String {
        let objects = self.api::<K>().list(&ListParams::default()).await.unwrap().items;
        let events = self.api::<Event>().list(&ListParams::default()).await.unwrap().items;
        json!([objects, events]).to_string()
    }

    /// Asks Harbor as a user with a browser does.
    pub async fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        self.ask_as(PASSWORD, method, path, body).await
    }

    /// Asks Harbor as the administrator with this password.
    pub async fn ask_as(&self, password: &str, method: &str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { Vec::new() } else { serde_json::to_vec(&body).unwrap() };
        let request = http::Request::builder()
            .method(method)
            .uri(format!("/api/v2.0{path}"))
            .header("authorization", format!("Basic {}", base64(&format!("admin:{password}"))))
            .header("content-type", "application/json")
            .header("x-is-resource-name", "true")
            .body(http_body_util::Full::new(bytes::Bytes::from(body)))
            .unwrap();
        let Ok(answer) = self.harbor.clone().call(request).await;
        let is_success = answer.status().is_success();
        let bytes = http_body_util::BodyExt::collect(answer.into_body()).await.unwrap().to_bytes();
        let value = serde_json::from_slice(&bytes).unwrap_or_default();
        assert!(is_success, "{method} {path}: {value}");
        value
    }

    /// The requests to Harbor since this was last asked, as `METHOD /path`.
    pub fn take_calls(&self) -> Vec<String> {
        let calls = self.calls();
        self.harbor.forget_served();
        calls
    }

    /// The requests to Harbor since [`World::take_calls`] was last asked.
    pub fn calls(&self) -> Vec<String> {
        let served = self.harbor.served();
        let path = |path: &str| path.trim_start_matches("/api/v2.0").to_owned();
        served.iter().map(|it| format!("{} {}", it.method, path(&it.path))).collect()
    }

    /// The writes to Harbor since this was last asked.
    pub fn take_writes(&self) -> Vec<String> {
        self.take_calls().into_iter().filter(|it| !it.starts_with("GET") && !it.starts_with("HEAD")).collect()
    }

    /// The requests to the API server since this was last asked.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Lets the operator finish what it does.
pub async fn settled() {
    tokio::time::sleep(Duration::from_secs(20)).await;
}

fn base64(text: &str) -> String {
    let bytes = k8s_openapi::ByteString(text.as_bytes().to_vec());
    serde_json::to_value(bytes).unwrap().as_str().unwrap().to_owned()
}

/// A condition in the status of an object.
pub fn condition(object: &Value, type_: &str) -> Value {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.find(|it| it["type"] == type_).cloned().unwrap_or_default()
}

fn message(owner: &impl Serialize, reason: &str) -> Option<String> {
    let owner = json!(owner);
    let ready = owner["status"]["conditions"].as_array()?.iter().find(|c| c["type"] == "Ready")?;
    let newest = ready["observedGeneration"] == owner["metadata"]["generation"];
    (newest && ready["reason"] == reason).then(|| ready["message"].as_str().unwrap_or_default().to_owned())
}
