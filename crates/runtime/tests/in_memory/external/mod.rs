//! Objects that live in a system outside the cluster.

mod deletion;
mod ending_namespace;
mod errors;
mod killed;
mod parts;
mod sharing;
mod shown;

use crate::{
    depot::{Depots, Mood, TOKEN},
    memory::Cluster,
    shelf::{Shelf, ShelfComponent, ShelfSpec},
};
use api::names::EXTERNAL_ANNOTATION;
use envtest::clock;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams},
};
use plan::SystemError;
use runtime::Options;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const INTERVAL: Duration = Duration::from_mins(5);

/// A cluster with an operator for shelves, and a depot called `acme`.
struct World {
    cluster: Cluster,
    depots: Arc<Depots>,
}

fn options(depots: &Arc<Depots>) -> Options {
    let depots = Arc::clone(depots);
    Options { clock, external_drivers: vec![depots], external_interval: INTERVAL, ..Options::default() }
}

impl World {
    async fn new() -> Self {
        let mut world = Self::without_operator().await;
        world.cluster.start::<ShelfComponent>();
        world
    }

    async fn without_operator() -> Self {
        let depots = Arc::<Depots>::default();
        let cluster = Cluster::new::<ShelfComponent>(options(&depots)).await;
        cluster.create(&secret("acme", "token", TOKEN)).await;
        Self { cluster, depots }
    }

    /// Creates a shelf, and waits until it is ready.
    async fn ready(&self, name: &str, spec: ShelfSpec) {
        self.cluster.create(&Shelf::new(name, spec)).await;
        self.cluster.until_reason::<Shelf>(name, "Ready").await;
        settled().await;
        self.depots.take_calls();
        self.cluster.take_requests();
    }

    fn label(&self, name: &str) -> Value {
        self.depots.get("acme", name).map(|it| it["label"].clone()).unwrap_or_default()
    }

    /// The objects that are recorded.
    async fn record(&self, name: &str) -> Option<Value> {
        let owner = self.cluster.get::<Shelf>(name).await;
        let annotation = owner.annotations().get(EXTERNAL_ANNOTATION)?;
        Some(serde_json::from_str::<Value>(annotation).unwrap()["objects"].take())
    }

    /// What was written: to the depot, and to the cluster but for events and statuses.
    fn writes(&self) -> Vec<String> {
        let calls = self.depots.take_calls().into_iter().filter(|call| !call.starts_with("list"));
        let about_others = |request: &String| !request.ends_with("/status") && !request.ends_with("/events");
        let requests = self.cluster.take_requests();
        let sent = envtest::writes(&requests).into_iter().map(ToString::to_string);
        calls.chain(sent.filter(about_others)).collect()
    }
}

fn secret(name: &str, key: &str, value: &str) -> Secret {
    serde_json::from_value(json!({"metadata": {"name": name}, "stringData": {key: value}})).unwrap()
}

/// A shelf of these boxes, each with a label.
fn boxes<const N: usize>(boxes: [(&str, &str); N]) -> ShelfSpec {
    let boxes = boxes.map(|(name, label)| (name.to_owned(), label.to_owned())).into();
    ShelfSpec { depot: "acme".into(), boxes, ..ShelfSpec::default() }
}

async fn settled() {
    tokio::time::sleep(Duration::from_secs(20)).await;
}

#[tokio::test(start_paused = true)]
async fn an_external_object_is_created_after_what_it_starts_after() {
    let World { cluster, depots } = &World::new().await;
    cluster.dismiss_stand_ins();
    let spec = ShelfSpec { guarded: true, ..boxes([("a", "tea")]) };
    cluster.create(&Shelf::new("s", spec)).await;
    cluster.until_reason::<Shelf>("s", "ChildrenNotReady").await;
    settled().await;
    assert_eq!((depots.names(), depots.take_calls()), (vec![], vec![]), "the depot is not even asked");

    let status = json!({"status": {
        "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
    }});
    let deployments: Api<Deployment> = cluster.api();
    deployments.patch_status("s-shelf", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    cluster.until_reason::<Shelf>("s", "Ready").await;
    assert_eq!(depots.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_made_in_the_system_is_repaired_at_the_next_refresh_and_costs_no_write_in_between() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea"), ("b", "salt")])).await;
    world.depots.put("acme", "a", json!({"label": "COFFEE", "number": 7}));
    world.depots.remove("acme", "b");
    tokio::time::sleep(INTERVAL / 2).await;
    assert_eq!((world.label("a"), world.writes()), (json!("COFFEE"), vec![]));

    tokio::time::sleep(INTERVAL).await;
    assert_eq!(world.writes(), ["update a", "create b"]);
    assert_eq!(world.depots.get("acme", "a"), Some(json!({"label": "TEA", "number": 7})));
    assert_eq!(world.depots.names(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_system_costs_one_list_per_interval_for_any_number_of_owners() {
    let world = World::new().await;
    for number in 0..20 {
        let name = format!("s{number}");
        world.cluster.create(&Shelf::new(&name, boxes([(&name, "tea")]))).await;
    }
    tokio::time::sleep(INTERVAL).await;
    assert_eq!(world.depots.names().len(), 20);
    world.depots.take_calls();
    world.cluster.take_requests();

    tokio::time::sleep(INTERVAL * 10).await;
    let calls = world.depots.take_calls();
    assert!(calls.iter().all(|call| call == "list acme"), "{calls:?}");
    assert!((8..=13).contains(&calls.len()), "{calls:?}");
    assert_eq!(envtest::writes(&world.cluster.take_requests()), Vec::<String>::new());

    for number in 0..20 {
        world.cluster.delete::<Shelf>(&format!("s{number}")).await;
    }
    settled().await;
    world.depots.take_calls();
    tokio::time::sleep(INTERVAL * 10).await;
    assert_eq!(world.depots.take_calls(), Vec::<String>::new(), "no owner reads it any more");
}

#[tokio::test(start_paused = true)]
async fn a_restart_lists_and_writes_nothing() {
    let mut world = World::new().await;
    world.cluster.create(&secret("lock", "code", "1234")).await;
    world
        .ready("s", ShelfSpec { locked_with: Some("lock".into()), ..boxes([("a", "tea"), ("b", "salt")]) })
        .await;
    world.cluster.restart::<ShelfComponent>().await;
    settled().await;
    assert_eq!(world.depots.take_calls(), ["list acme"]);
    assert_eq!(envtest::writes(&world.cluster.take_requests()), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_existed_before_is_left_alone_unless_adoption_is_asked_for_and_is_never_deleted() {
    let world = World::new().await;
    world.depots.put("acme", "a", json!({"label": "THEIRS"}));
    world.cluster.create(&Shelf::new("s", boxes([("a", "ours"), ("b", "ours")]))).await;
    let message = world.cluster.until_reason::<Shelf>("s", "AlreadyExists").await;
    let expected =
        "box acme/a already exists and was not created by this operator; set spec.adopts to take it over";
    assert_eq!(message, expected);
    settled().await;
    assert_eq!((world.label("a"), world.label("b")), (json!("THEIRS"), json!("OURS")));

    world.cluster.merge::<Shelf>("s", json!({"spec": {"adopts": true}})).await;
    world.cluster.until_reason::<Shelf>("s", "Ready").await;
    assert_eq!(world.label("a"), "OURS");
    let expected = json!({"depot:default/acme": {"box": {"a": {"adopted": true}, "b": {}}}});
    assert_eq!(world.record("s").await, Some(expected));

    world.cluster.delete::<Shelf>("s").await;
    world.cluster.until_gone::<Shelf>("s").await;
    assert_eq!(world.depots.names(), ["a"], "it was not created by the operator");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_another_program_creates_just_before_the_operator_stays_that_programs() {
    let world = World::new().await;
    world.depots.set_mood(Mood::Overtaken);
    world.cluster.create(&Shelf::new("s", boxes([("a", "ours")]))).await;
    world.cluster.until_reason::<Shelf>("s", "AlreadyExists").await;
    assert_eq!(world.record("s").await, None);
    world.cluster.delete::<Shelf>("s").await;
    world.cluster.until_gone::<Shelf>("s").await;
    assert_eq!(world.label("a"), "THEIRS");
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_reads_an_external_object_while_planning_is_reconciled_when_that_changes() {
    let world = World::new().await;
    world.depots.put("acme", "sign", json!({"label": "OPEN"}));
    world.ready("s", ShelfSpec { reads: Some("sign".into()), ..boxes([]) }).await;
    let label = async || world.cluster.get::<ConfigMap>("s-shelf").await.data.unwrap()["label"].clone();
    assert_eq!(label().await, "OPEN");
    world.depots.put("acme", "sign", json!({"label": "CLOSED"}));
    tokio::time::sleep(INTERVAL * 6 / 5).await;
    settled().await;
    assert_eq!(label().await, "CLOSED");
    assert_eq!(world.depots.take_calls(), ["list acme"]);
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_reads_what_it_has_just_written_is_made_again_and_then_no_more() {
    let world = World::new().await;
    settled().await;
    world.ready("s", ShelfSpec { reads: Some("a".into()), ..boxes([("a", "tea")]) }).await;
    settled().await;
    assert_eq!(world.cluster.get::<ConfigMap>("s-shelf").await.data.unwrap()["label"], "TEA");
    world.depots.take_calls();
    settled().await;
    assert_eq!(world.depots.take_calls(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn new_credentials_are_used_at_once() {
    let world = World::new().await;
    world.cluster.merge::<Secret>("acme", json!({"stringData": {"token": "wrong"}})).await;
    world.cluster.create(&Shelf::new("s", boxes([("a", "tea")]))).await;
    let message = world.cluster.until_reason::<Shelf>("s", "ExternalForbidden").await;
    let expected = "cannot read box acme/a in the depot acme: the token is not accepted; put the right one into the Secret";
    assert_eq!(message, expected);
    world.cluster.merge::<Secret>("acme", json!({"stringData": {"token": TOKEN}})).await;
    let start = tokio::time::Instant::now();
    world.cluster.until_reason::<Shelf>("s", "Ready").await;
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_write_only_value_is_sent_when_it_changes_and_at_no_other_time() {
    let mut world = World::new().await;
    world.cluster.create(&secret("lock", "code", "1234")).await;
    world.ready("s", ShelfSpec { locked_with: Some("lock".into()), ..boxes([("a", "tea")]) }).await;
    assert_eq!(world.depots.code("a"), Some(json!("1234")));
    world.cluster.restart::<ShelfComponent>().await;
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.writes(), Vec::<String>::new());

    world.cluster.merge::<Secret>("lock", json!({"stringData": {"code": "5678"}})).await;
    settled().await;
    assert_eq!(world.depots.code("a"), Some(json!("5678")));
    assert_eq!(world.writes(), ["update a", "PATCH /apis/engine.test/v1/namespaces/default/shelves/s"]);
}

#[tokio::test(start_paused = true)]
async fn objects_that_are_created_together_are_recorded_together() {
    let world = World::new().await;
    let boxes = (0..24).map(|number| (format!("b{number:02}"), "tea".to_owned())).collect();
    let spec = ShelfSpec { depot: "acme".into(), boxes, ..ShelfSpec::default() };
    world.cluster.create(&Shelf::new("s", spec)).await;
    world.cluster.until_reason::<Shelf>("s", "Ready").await;
    assert_eq!(world.depots.names().len(), 24);
    let lists = world.depots.take_calls().into_iter().filter(|call| call.starts_with("list")).count();
    let records =
        world.cluster.take_requests().into_iter().filter(|it| it.starts_with("PATCH") && it.ends_with("/s"));
    let records = records.count();
    assert!(lists == 1 && records <= 8, "{lists} lists, {records} records");
}
