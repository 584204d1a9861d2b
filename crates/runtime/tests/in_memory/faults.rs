//! The operator against a server that fails as often as a bad network does, and against one where nothing happens.
//!
//! Everything is in one process and in virtual time: an hour passes at once, and a seed repeats a run exactly.

use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use apiserver::{ApiServer, Faults, Mishap, Plan};
use jiff::Timestamp;
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Secret},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResourceExt as _, Resource,
    api::{ListParams, Patch, PatchParams, PostParams},
    runtime::wait::await_condition,
};
use plan::ComponentKind;
use runtime::{Entropy, Operator, Options};
use sandbox::StandIns;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::Layer as _;

const SEEDS: std::ops::Range<u64> = 0..8;
/// Of virtual time: longer than any backoff.
const TIMEOUT: Duration = Duration::from_hours(2);
const WIDGETS: [&str; 3] = ["a", "b", "c"];

/// The same numbers for everybody, so that two runs can be compared.
struct Loaded;

impl Entropy for Loaded {
    fn alphanumeric(&self, length: usize) -> String {
        "x".repeat(length)
    }

    fn bytes(&self) -> [u8; 16] {
        [0; 16]
    }

    fn rsa_key(&self) -> Result<String, pki::IssueError> {
        // One for all runs; a real one, since it is signed with.
        static KEY: OnceLock<String> = OnceLock::new();
        Ok(KEY.get_or_init(|| pki::generate(pki::KeySpec::DEFAULT).unwrap()).clone())
    }

    fn jitter(&self, most: Duration) -> Duration {
        most / 2
    }
}

/// A cluster in memory with an operator whose connection is bad.
struct World {
    server: ApiServer,
    /// A connection that is not.
    client: Client,
    faults: Faults,
    stop: CancellationToken,
}

impl World {
    async fn new(seed: u64, plan: Plan) -> Self {
        let server = ApiServer::builder().seed(seed).start(Timestamp::UNIX_EPOCH).build().unwrap();
        let client = Client::new(server.clone(), "default");
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        definitions.create(&PostParams::default(), &Widget::crd()).await.unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(StandIns::new(client.clone()).run(stop.clone()));

        let faults = Faults::new(seed, plan);
        let options =
            Options { entropy: Arc::new(Loaded), clock: || Timestamp::UNIX_EPOCH, ..Options::default() };
        let operator = Operator::new(
            Client::new(faults.layer(server.clone()), "default"),
            vec![ComponentKind::of::<WidgetComponent>()],
            options,
        );
        tokio::spawn(operator.run(stop.clone()));
        Self { server, client, faults, stop }
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>,
    {
        Api::default_namespaced(self.client.clone())
    }

    async fn create_widgets(&self) {
        for name in WIDGETS {
            let spec = WidgetSpec {
                message: "one".into(),
                extras: vec![format!("{name}-extra")],
                ..WidgetSpec::default()
            };
            self.api::<Widget>().create(&PostParams::default(), &Widget::new(name, spec)).await.unwrap();
        }
    }

    async fn change_widgets(&self) {
        for name in WIDGETS {
            let change = Patch::Merge(json!({"spec": {"message": "two", "extras": [], "replicas": 2}}));
            self.api::<Widget>().patch(name, &PatchParams::default(), &change).await.unwrap();
        }
    }

    async fn until_ready(&self) {
        for name in WIDGETS {
            let ready = await_condition(self.api::<Widget>(), name, |widget: Option<&Widget>| {
                widget.is_some_and(is_ready)
            });
            let waited = timeout(TIMEOUT, ready).await;
            assert!(waited.is_ok(), "seed {}: {name} never became ready\n{}", self.faults.seed(), self.log());
        }
    }

    fn log(&self) -> String {
        self.faults.log().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Everything the operator made, without what differs from run to run.
    async fn result(&self) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        self.collect::<ConfigMap>(&mut all, &["data"]).await;
        self.collect::<Secret>(&mut all, &["data", "immutable"]).await;
        self.collect::<Deployment>(&mut all, &["spec"]).await;
        self.collect::<Widget>(&mut all, &["spec"]).await;
        all
    }

    async fn collect<K>(&self, all: &mut BTreeMap<String, Value>, fields: &[&str])
    where
        K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned
            + Serialize,
    {
        for object in self.api::<K>().list(&ListParams::default()).await.unwrap() {
            let name = format!("{} {}", K::kind(&()), object.meta().name.clone().unwrap());
            let value = serde_json::to_value(&object).unwrap();
            all.insert(name, fields.iter().map(|field| value[*field].clone()).collect());
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn is_ready(widget: &Widget) -> bool {
    let conditions = widget.status.iter().flat_map(|status| &status.conditions);
    conditions
        .filter(|condition| condition.type_ == "Ready")
        .any(|ready| ready.status == "True" && ready.observed_generation == widget.metadata.generation)
}

/// Widgets come up and are changed while things go wrong; then nothing goes wrong any more.
async fn survive(seed: u64, plan: Plan) -> World {
    let world = World::new(seed, plan).await;
    world.create_widgets().await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    world.change_widgets().await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    world.faults.switch_off();
    world.until_ready().await;
    world
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_in_an_hour_in_which_nothing_happens() {
    let world = survive(0, Plan::none()).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let before = world.server.revision();
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(world.server.revision(), before);
}

#[tokio::test(start_paused = true)]
async fn once_faults_end_the_result_is_that_of_a_run_without_any() {
    let expected = survive(0, Plan::none()).await.result().await;
    for seed in SEEDS {
        let world = survive(seed, Plan::everything(0.15)).await;
        assert!(!world.faults.log().is_empty(), "seed {seed}: nothing went wrong");
        assert_eq!(world.result().await, expected, "seed {seed}\n{}", world.log());
    }
}

#[tokio::test(start_paused = true)]
async fn every_single_fault_is_survived_even_if_it_is_common() {
    let expected = survive(0, Plan::none()).await.result().await;
    for mishap in Mishap::ALL {
        let world = survive(7, Plan::none().with(mishap, 0.4)).await;
        assert_eq!(world.result().await, expected, "{mishap}\n{}", world.log());
    }
}

/// The same requests are made in the same order and meet the same fate.
#[tokio::test(start_paused = true)]
async fn a_seed_repeats_what_goes_wrong() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let world = survive(3, Plan::everything(0.2)).await;
        let incidents: Vec<String> = world.faults.log().iter().map(ToString::to_string).collect();
        runs.push((incidents, world.result().await, world.server.revision()));
    }
    assert_eq!(runs[0], runs[1]);
}
