//! A cluster in memory, and operators with the permissions that `rbac` prints, which can be killed.

use crate::{
    doomed::Doomed,
    features::{Features, serve},
    harbor_of_pods::{Elsewhere, HarborOfPods},
    keys,
};
use api::{
    conversion::{ConversionWebhook, serve_v1alpha3},
    v1beta1::HarborCluster,
};
use apiserver::{Access, ApiServer, User, WebhookTarget};
use election::{Election, Timing};
use envtest::clock;
use futures::StreamExt as _;
use harbordriver::HarborDriver;
use harborserver::{HarborServer, TokioClock, Version};
use http::{Request, Response, StatusCode};
use k8s_openapi::{
    ByteString, api::core::v1::Secret,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams},
    client::Body,
    core::Status,
    runtime::{WatchStreamExt as _, wait::await_condition, watcher},
};
use plan::Defaults;
use progress::Observer;
use runtime::{Operator, Options};
use sandbox::{StandIns, definitions};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::watch, task::JoinHandle, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::{BoxError, ServiceExt as _};

/// The namespace of all objects.
pub const NAMESPACE: &str = "registry";
/// The namespace of the operator.
pub const HOME: &str = "harbor-operator-ns";
/// The user of the operator.
const ACCOUNT: &str = "system:serviceaccount:harbor-operator-ns:harbor-operator";

/// The password of `admin`, as examples/in-cluster.yaml has it.
pub const ADMIN_PASSWORD: &str = "example-only-Harbor12345";

pub struct Cluster {
    pub client: Client,
    /// How operators can list.
    pub lists: Lists,
    server: ApiServer,
    /// The Harbor at any address.
    pub harbor: HarborServer,
    /// The way to it, on which pods must serve.
    pub way: HarborOfPods,
    _stop: DropGuard,
}

/// How an API server lists objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// As the first events of a watch.
    Streamed,
    /// In pages only, as before Kubernetes 1.32.
    Paged,
}

impl Lists {
    /// The answer to a request that asks for the other way.
    fn refusal(self, request: &Request<Body>) -> Option<Response<apiserver::Body>> {
        let is_stream = request.uri().query().is_some_and(|query| query.contains("sendInitialEvents=true"));
        let status = Status::failure("sendInitialEvents is forbidden", "Invalid").with_code(422);
        let refusal = || {
            let body = apiserver::Body::full(serde_json::to_vec(&status).unwrap());
            Response::builder().status(StatusCode::UNPROCESSABLE_ENTITY).body(body).unwrap()
        };
        (self == Self::Paged && is_stream).then(refusal)
    }
}

/// The definitions of all kinds.
fn kinds() -> Vec<Value> {
    kinds_with("all-kinds", api::crds::all)
}

/// The definitions of all kinds, with these of ours. `what` says which these are.
fn kinds_with(what: &str, ours: impl FnOnce() -> Vec<CustomResourceDefinition> + Send) -> Vec<Value> {
    let all = || ours().iter().map(|ours| json!(ours)).chain(definitions::all()).collect();
    envtest::accepted(what, all)
}

impl Cluster {
    /// A cluster with all kinds, and with stand-ins that make objects ready.
    pub async fn new() -> Self {
        Self::without("").await
    }

    /// The same, without the kinds of this group.
    pub async fn without(group: &str) -> Self {
        Self::with(kinds(), |of| of != group, Duration::ZERO).await
    }

    /// A cluster with all kinds, in which each object takes this long to become ready.
    pub async fn slow(delay: Duration) -> Self {
        Self::with(kinds(), |_| true, delay).await
    }

    /// The same, without the kinds of this group.
    pub async fn slow_without(group: &str, delay: Duration) -> Self {
        Self::with(kinds(), |of| of != group, delay).await
    }

    /// A cluster that also serves v1alpha3.
    pub async fn with_v1alpha3() -> Self {
        let webhook = ConversionWebhook::Service { namespace: HOME.into(), name: "webhook".into() };
        let both = || serve_v1alpha3(api::crds::all(), &webhook);
        Self::with_definitions("all-kinds-with-v1alpha3", both).await
    }

    /// A cluster with these definitions of our kinds. `what` says which these are.
    pub async fn with_definitions(
        what: &str,
        ours: impl FnOnce() -> Vec<CustomResourceDefinition> + Send,
    ) -> Self {
        Self::with(kinds_with(what, ours), |_| true, Duration::ZERO).await
    }

    async fn with(kinds: Vec<Value>, wanted: impl Fn(&str) -> bool, delay: Duration) -> Self {
        let server = ApiServer::builder().seed(1).start(clock()).access(Access::Rbac);
        let server = server.protecting_owner_references().webhooks(Arc::new(converted)).build().unwrap();
        let client = Client::new(server.acting_as(User::admin()), "default");
        let stop = CancellationToken::new();
        let stand_ins = StandIns::new(client.clone()).delay(delay).keys(keys::known).clock(clock);
        tokio::spawn(stand_ins.run(stop.clone()));
        let harbor = HarborServer::builder(Version::new(15, 2), ADMIN_PASSWORD);
        let harbor = harbor.clock(TokioClock::starting_at(clock())).build();
        for address in ["http://hub", "http://scanner", "http://dragonfly"] {
            harbor.network().open(address);
        }
        let way = HarborOfPods::new(harbor.clone(), client.clone(), Elsewhere::Served);
        let cluster = Self { client, lists: Lists::Streamed, server, harbor, way, _stop: stop.drop_guard() };
        cluster.define(kinds, wanted);
        cluster.apply_file(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/namespace.yaml")).await;
        for object in &*PERMISSIONS {
            cluster.apply_object(object).await;
        }
        cluster
    }

    /// Installs the kinds of this group.
    pub fn install(&self, group: &str) {
        self.define(kinds(), |of| of == group);
    }

    fn define(&self, mut kinds: Vec<Value>, wanted: impl Fn(&str) -> bool) {
        kinds.retain(|definition| wanted(definition["spec"]["group"].as_str().unwrap()));
        self.server.adopt(kinds);
    }

    /// Applies an example.
    pub async fn apply(&self, example: &str) {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        self.apply_file(examples.join(example)).await;
    }

    /// Applies the objects of a file.
    pub async fn apply_file(&self, path: PathBuf) {
        let documents: Vec<Value> = serde_saphyr::from_multiple(&fs::read_to_string(path).unwrap()).unwrap();
        for document in documents {
            self.apply_object(&document).await;
        }
    }

    /// Applies an object as a user would.
    pub async fn apply_object(&self, object: &Value) {
        self.apply_object_as("user", object).await;
    }

    /// Applies an object as this field manager.
    pub async fn apply_object_as(&self, manager: &str, object: &Value) {
        let text = |field: &str| object.pointer(field).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = text("/apiVersion").rsplit_once('/').unwrap_or(("", text("/apiVersion")));
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
        let api: Api<DynamicObject> = match text("/metadata/namespace") {
            "" => Api::all_with(self.client.clone(), &kind),
            namespace => Api::namespaced_with(self.client.clone(), namespace, &kind),
        };
        let params = PatchParams::apply(manager).force();
        api.patch(text("/metadata/name"), &params, &Patch::Apply(&object)).await.unwrap();
    }

    /// Waits until the HarborCluster is ready, and a minute longer.
    pub async fn until_ready(&self) {
        self.until_healthy("acme").await;
        tokio::time::sleep(Duration::from_mins(1)).await;
    }

    /// Waits until a HarborCluster is ready.
    pub async fn until_healthy(&self, name: &str) {
        let api: Api<HarborCluster> = Api::namespaced(self.client.clone(), NAMESPACE);
        let ready = await_condition(api, name, |cluster: Option<&HarborCluster>| {
            let status = cluster.and_then(|cluster| cluster.status.as_ref());
            status.is_some_and(|status| status.status.as_deref() == Some("healthy"))
        });
        let ready = timeout(Duration::from_hours(1), Box::pin(ready)).await;
        ready.expect("the HarborCluster becomes ready").unwrap();
    }

    /// Waits until a condition of the HarborCluster has this reason, and returns its message.
    pub async fn until_condition(&self, kind: &str, reason: &str) -> String {
        let found = |cluster: &HarborCluster| {
            let conditions = cluster.status.clone()?.observation.conditions;
            conditions.into_iter().find(|it| it.type_ == kind && it.reason.as_deref() == Some(reason))
        };
        let api: Api<HarborCluster> = Api::namespaced(self.client.clone(), NAMESPACE);
        let holds = |cluster: Option<&HarborCluster>| cluster.is_some_and(|cluster| found(cluster).is_some());
        let held = timeout(Duration::from_hours(1), Box::pin(await_condition(api, "acme", holds))).await;
        let cluster = held.expect("the condition is set").unwrap().unwrap();
        found(&cluster).and_then(|condition| condition.message).unwrap_or_default()
    }

    /// An operator that is killed after so many writes, to the cluster or to Harbor: it does not receive the answer to the last
    /// one.
    pub fn operator(&self, writes: Option<u64>) -> Operating {
        self.started(writes, Options::default(), Features::default())
    }

    /// An operator with flags.
    pub fn operator_with(&self, features: Features) -> Operating {
        self.started(None, Options::default(), features)
    }

    /// An operator that reports its progress.
    pub fn observed(&self, observer: Arc<dyn Observer>) -> Operating {
        self.started(None, Options { observer: Some(observer), ..Options::default() }, Features::default())
    }

    /// A client with the user and the permissions of the operator.
    pub fn as_operator(&self) -> Client {
        Client::new(self.server.acting_as(User::authenticated(ACCOUNT, [])), "default")
    }

    /// An operator that works once it leads.
    pub fn candidate(&self) -> Operating {
        let election = Election {
            namespace: HOME.into(),
            name: "harbor-operator".into(),
            identity: "candidate".into(),
            timing: Timing::DEFAULT,
        };
        self.started(None, Options { election: Some(election), ..Options::default() }, Features::default())
    }

    fn started(&self, writes: Option<u64>, options: Options, features: Features) -> Operating {
        let left = Arc::new(AtomicU64::new(writes.unwrap_or(u64::MAX)));
        let (killed, refused) = (CancellationToken::new(), Arc::new(watch::Sender::new(false)));
        let server = self.server.acting_as(User::authenticated(ACCOUNT, []));
        let (kill, refuse, lists) = (killed.clone(), Arc::clone(&refused), self.lists);
        let driver = HarborDriver::over(Doomed::new(&self.way, &self.client, &left, &killed));
        let sent = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&sent);
        let counted = tower::service_fn(move |request: Request<Body>| {
            let (server, left) = (server.clone(), Arc::clone(&left));
            let (kill, refuse) = (kill.clone(), Arc::clone(&refuse));
            let write = request.method() != http::Method::GET;
            if !request.uri().query().unwrap_or_default().contains("watch=true") {
                noted.lock().unwrap().push(format!("{} {}", request.method(), request.uri()));
            }
            async move {
                let last = write && left.fetch_sub(1, Ordering::SeqCst) <= 1;
                let answer = match lists.refusal(&request) {
                    Some(refusal) => Ok(refusal),
                    None => server.oneshot(request).await,
                };
                if answer.as_ref().is_ok_and(|answer| answer.status() == StatusCode::FORBIDDEN) {
                    refuse.send_replace(true);
                }
                if last || kill.is_cancelled() {
                    kill.cancel();
                    std::future::pending::<()>().await;
                }
                answer
            }
        });
        // As the shipped manifests say.
        let defaults =
            Defaults { operator_image: Some("example/harbor-operator".into()), ..Defaults::default() };
        let options = Options { clock, defaults, external_drivers: vec![Arc::new(driver)], ..options };
        let client = Client::new(counted, "default");
        let operator = Operator::new(client.clone(), features.components(), options);
        let webhooks = features.webhooks(client, operator.leadership());
        let task = tokio::spawn(async move {
            tokio::select! {
                ended = operator.run(CancellationToken::new()) => ended.unwrap(),
                () = serve(webhooks) => {}
            }
        });
        Operating { killed, refused, sent, task }
    }

    /// Records all contents of all Secrets.
    pub fn watch_secrets(&self) -> Secrets {
        let contents = Arc::new(Mutex::new(BTreeMap::<String, Vec<Content>>::new()));
        let noted = Arc::clone(&contents);
        let api: Api<Secret> = Api::namespaced(self.client.clone(), NAMESPACE);
        let task = tokio::spawn(async move {
            let mut events = std::pin::pin!(watcher(api, watcher::Config::default()).applied_objects());
            while let Some(Ok(secret)) = events.next().await {
                let mut contents = noted.lock().unwrap();
                let all = contents.entry(secret.metadata.name.unwrap_or_default()).or_default();
                let content = secret.data.unwrap_or_default();
                if all.last() != Some(&content) {
                    all.push(content);
                }
            }
        });
        Secrets { contents, task }
    }
}

/// The webhook that converts objects, without a network, because time is virtual.
fn converted(_: &WebhookTarget, review: Value) -> Result<Value, BoxError> {
    let answer = webhook::conversion::review(review.to_string().as_bytes())?;
    Ok(serde_json::from_slice(&answer.body)?)
}

/// An operator that is killed when it is dropped, if not before.
pub struct Operating {
    killed: CancellationToken,
    refused: Arc<watch::Sender<bool>>,
    sent: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Operating {
    /// Takes the requests until now. Watches are not among them.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }

    /// Waits until the API server has refused a request.
    pub async fn refused(&self) {
        self.refused.subscribe().wait_for(|it| *it).await.unwrap();
    }

    /// Whether the API server has refused a request.
    pub fn was_refused(&self) -> bool {
        *self.refused.borrow()
    }

    /// Counts only refusals from now on.
    pub fn forget_refusals(&self) {
        self.refused.send_replace(false);
    }

    /// Kills it.
    pub fn kill(&self) {
        self.task.abort();
    }

    /// Waits until it is killed.
    pub async fn killed(&mut self) {
        self.killed.cancelled().await;
    }
}

impl Drop for Operating {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Content = BTreeMap<String, ByteString>;

/// The contents of Secrets, in order.
pub struct Secrets {
    contents: Arc<Mutex<BTreeMap<String, Vec<Content>>>>,
    task: JoinHandle<()>,
}

impl Secrets {
    /// Asserts that each had only one content.
    pub fn assert_never_changed(&mut self) {
        self.task.abort();
        let contents = self.contents.lock().unwrap();
        assert!(contents.len() > 10, "{:?}", contents.keys());
        let changed: Vec<_> =
            contents.iter().filter(|(_, all)| all.len() > 1).map(|(name, _)| name).collect();
        assert!(changed.is_empty(), "these Secrets changed: {changed:?}");
    }
}

/// The objects of `harbor-operator rbac`.
pub static PERMISSIONS: LazyLock<Vec<Value>> = LazyLock::new(|| permissions(&[]));
/// The objects of `harbor-operator rbac --page`.
pub static PERMISSIONS_WITH_PAGE: LazyLock<Vec<Value>> = LazyLock::new(|| permissions(&["--page"]));

/// The objects of `harbor-operator rbac` with flags.
pub fn permissions(flags: &[&str]) -> Vec<Value> {
    let mut rbac = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
    let output = rbac.args(["rbac", "--output", "json"]).args(flags).output();
    let list: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    list["items"].as_array().unwrap().clone()
}
