//! Kinds that may be missing: the operator against clusters with and without cert-manager.
//!
//! In one process and in virtual time, as in `faults.rs`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use api::thirdparty::cert_manager::{Certificate, CertificateSpec};
use apiserver::ApiServer;
use jiff::Timestamp;
use k8s_openapi::{
    api::core::v1::ConfigMap, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt as _, Resource, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    core::ObjectMeta,
    runtime::wait::await_condition,
};
use plan::{Builder, Children, Component, PlanError, World};
use runtime::{Operator, Options};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Kiosk",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct KioskSpec {
    /// What it does about certificates.
    pub wants: Wants,
}

/// What a kiosk does about certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Wants {
    /// Has one where cert-manager is, and says in a ConfigMap whether it is.
    #[default]
    Whichever,
    /// Refuses to do without.
    Insists,
    /// Has one without asking.
    Blindly,
}

struct KioskComponent;

impl Component for KioskComponent {
    type Owner = Kiosk;

    const NAME: &'static str = "kiosk";

    fn children() -> Children {
        Children::none().and::<ConfigMap>().and::<Certificate>()
    }

    fn desired(kiosk: &Kiosk, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let metadata = ObjectMeta {
            name: Some(kiosk.name_any()),
            namespace: kiosk.namespace(),
            ..ObjectMeta::default()
        };
        let served = match kiosk.spec.wants {
            Wants::Blindly => true,
            Wants::Whichever => world.serves::<Certificate>()?,
            Wants::Insists if world.serves::<Certificate>()? => true,
            Wants::Insists => return Err(PlanError::unserved::<Certificate>("cert-manager")),
        };
        if served {
            let mut certificate = Certificate::new(&kiosk.name_any(), CertificateSpec::default());
            certificate.metadata.namespace = kiosk.namespace();
            graph.add::<Certificate>(certificate, ());
        }
        let data = [("served".to_owned(), served.to_string())].into();
        graph.add::<ConfigMap>(ConfigMap { metadata, data: Some(data), ..ConfigMap::default() }, ());
        Ok(())
    }
}

/// A cluster in memory with an operator whose requests are noted.
struct Cluster {
    client: Client,
    requests: Arc<Mutex<Vec<String>>>,
    stop: CancellationToken,
}

impl Cluster {
    async fn new() -> Self {
        let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let cluster = Self {
            client: Client::new(server.clone(), "default"),
            requests: Arc::clone(&requests),
            stop: CancellationToken::new(),
        };
        cluster.install(Kiosk::crd()).await;
        let noted = server.map_request(move |request: http::Request<kube::client::Body>| {
            let line = format!("{} {}", request.method(), request.uri().path());
            requests.lock().unwrap().push(line);
            request
        });
        let options = Options { clock: || Timestamp::UNIX_EPOCH, ..Options::default() };
        let mut operator = Operator::new(Client::new(noted, "default"), options);
        operator.register::<KioskComponent>();
        tokio::spawn(operator.run(cluster.stop.clone()));
        cluster
    }

    async fn install(&self, definition: CustomResourceDefinition) {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &definition).await.unwrap();
    }

    async fn uninstall(&self, definition: CustomResourceDefinition) {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        api.delete(&definition.name_any(), &DeleteParams::default()).await.unwrap();
    }

    async fn kiosk(&self, name: &str, wants: Wants) {
        let kiosk = Kiosk::new(name, KioskSpec { wants });
        self.api::<Kiosk>().create(&PostParams::default(), &kiosk).await.unwrap();
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>,
    {
        Api::default_namespaced(self.client.clone())
    }

    /// Waits up to ten minutes of virtual time.
    async fn until<K>(&self, name: &str, what: &str, holds: impl Fn(&K) -> bool + Send)
    where
        K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned
            + Send
            + 'static,
    {
        let held = await_condition(self.api::<K>(), name, |object: Option<&K>| object.is_some_and(&holds));
        assert!(timeout(Duration::from_mins(10), held).await.is_ok(), "{name}: {what}");
    }

    async fn until_told(&self, name: &str, served: &'static str) {
        self.until::<ConfigMap>(name, served, |config| {
            config.data.as_ref().is_some_and(|data| data["served"] == served)
        })
        .await;
    }

    async fn until_reason(&self, name: &str, reason: &'static str) -> String {
        self.until::<Kiosk>(name, reason, |kiosk| message(kiosk, reason).is_some()).await;
        message(&self.api::<Kiosk>().get(name).await.unwrap(), reason).unwrap()
    }

    fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn message(kiosk: &Kiosk, reason: &str) -> Option<String> {
    let mut conditions = kiosk.status.iter().flat_map(|status| &status.conditions);
    let found = conditions.find(|c| c.type_ == "Ready" && c.reason.as_deref() == Some(reason))?;
    Some(found.message.clone().unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn what_depends_on_a_kind_learns_whether_it_is_served() {
    let cluster = Cluster::new().await;
    cluster.kiosk("before", Wants::Whichever).await;
    cluster.until_told("before", "false").await;

    cluster.install(Certificate::crd()).await;
    cluster.until_told("before", "true").await;
    cluster.until::<Certificate>("before", "exists", |_| true).await;
    cluster.kiosk("after", Wants::Whichever).await;
    cluster.until_told("after", "true").await;

    cluster.uninstall(Certificate::crd()).await;
    cluster.until_told("before", "false").await;
    cluster.until_told("after", "false").await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_goes_and_comes_back_is_watched_again() {
    let cluster = Cluster::new().await;
    cluster.install(Certificate::crd()).await;
    cluster.kiosk("a", Wants::Whichever).await;
    cluster.until_told("a", "true").await;
    cluster.uninstall(Certificate::crd()).await;
    cluster.until_told("a", "false").await;
    cluster.install(Certificate::crd()).await;
    cluster.until::<Certificate>("a", "comes back", |_| true).await;

    let drift = Patch::Merge(json!({"spec": {"secretName": "drifted"}}));
    cluster.api::<Certificate>().patch("a", &PatchParams::default(), &drift).await.unwrap();
    cluster.until::<Certificate>("a", "is repaired", |c| c.spec.secret_name.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_kind_is_named_with_what_to_install_until_it_is_there() {
    let cluster = Cluster::new().await;
    cluster.kiosk("a", Wants::Insists).await;
    let told = cluster.until_reason("a", "KindMissing").await;
    assert_eq!(told, "the cluster does not serve Certificate of cert-manager.io; install cert-manager");
    cluster.install(Certificate::crd()).await;
    cluster.until_told("a", "true").await;
}

#[tokio::test(start_paused = true)]
async fn a_child_of_a_missing_kind_is_not_sent_until_the_kind_is_there() {
    let cluster = Cluster::new().await;
    cluster.kiosk("a", Wants::Blindly).await;
    let told = cluster.until_reason("a", "KindMissing").await;
    assert_eq!(told, "the cluster does not serve Certificate of cert-manager.io; install its definition");
    let sent = |line: &String| line.contains("certificates") && !line.starts_with("GET");
    assert_eq!(cluster.take_requests().into_iter().find(sent), None);
    cluster.install(Certificate::crd()).await;
    cluster.until::<Certificate>("a", "exists", |_| true).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_operator_looks_for_a_missing_kind_now_and_then_and_asks_for_nothing_else() {
    let cluster = Cluster::new().await;
    cluster.kiosk("a", Wants::Whichever).await;
    cluster.until_reason("a", "Ready").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    cluster.take_requests();

    tokio::time::sleep(Duration::from_hours(10)).await;

    let requests = cluster.take_requests();
    // Watches are renewed every few minutes: those of kiosks, Secrets and ConfigMaps.
    let watches = ["kiosks", "secrets", "configmaps"];
    let looks = requests.iter().filter(|line| line.ends_with("/certificates")).count();
    let others: Vec<_> = requests
        .iter()
        .filter(|line| !line.ends_with("/certificates") && !watches.iter().any(|kind| line.ends_with(kind)))
        .collect();
    assert_eq!(others, Vec::<&String>::new());
    assert!((90..=160).contains(&looks), "{looks} looks in ten hours");
}
