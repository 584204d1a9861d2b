//! The operator is killed while it rotates the credentials of a Harbor. Whenever that is, each is rotated once, and at no time
//! are there pods that do not accept each other's credentials.

use crate::{
    Moments,
    clients::{Clients, Failure},
    cluster::{Cluster, NAMESPACE},
    objects::Objects,
    served,
};
use api::{
    names::ROTATE_ANNOTATION,
    v1beta1::{
        Harbor,
        rotation::{RotationPhase, RotationStatus},
    },
};
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::{
    Api, ResourceExt,
    api::ListParams,
    runtime::{
        wait::await_condition,
        watcher::{self, Event, watcher},
    },
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{task::JoinHandle, time::timeout};

/// What is rotated in examples/harbor.yaml, and the Secrets without what their names have in common.
const ROTATED: [(&str, &str); 6] = [
    ("registryHttp", "registry-http"),
    ("registryCredentials", "registry-basicauth"),
    ("jobserviceSecret", "jobservice-secret"),
    ("coreSecret", "core-secret"),
    ("token", TOKEN),
    ("csrf", "core-csrf"),
];

/// The one that cert-manager issues, and whose Secret before it keeps.
const TOKEN: &str = "core-tokencert";

/// More lives of an operator than all rotations take.
const MOST_LIVES: usize = 1000;

#[tokio::test(start_paused = true)]
async fn rotations_during_which_every_operator_is_killed_at_its_first_write_end_as_without() {
    let expected = without_kills().await;
    let lives = with_kills(&expected, || 1).await;
    assert!(lives >= 20, "the rotations took {lives} lives");
}

#[tokio::test(start_paused = true)]
async fn rotations_during_which_the_operator_is_killed_now_and_then_end_as_without() {
    let expected = without_kills().await;
    for seed in 0..2 {
        println!("seed {seed}");
        let mut moments = Moments(seed);
        with_kills(&expected, || 3 * moments.next()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn no_request_fails_while_the_credentials_between_components_are_rotated() {
    let failures = failures_during("all@1,token", "1").await;
    assert_eq!(failures, []);
}

#[tokio::test(start_paused = true)]
async fn tokens_are_refused_only_in_the_moment_in_which_old_and_new_pods_of_core_serve() {
    let failures = failures_during("token@2", "2").await;
    let unexpected: Vec<_> =
        failures.iter().filter(|it| !it.what.contains(" refuses the token of ")).collect();
    assert_eq!(unexpected, Vec::<&Failure>::new());
    if let [first, .., last] = failures.as_slice() {
        let gap = last.at.duration_since(first.at).as_secs();
        assert!(gap <= 5, "tokens were refused for {gap} seconds");
    }
}

/// The requests of clients that fail while credentials are rotated, with two pods of Core and the registry. `word` is in the
/// request.
async fn failures_during(request: &str, word: &str) -> Vec<Failure> {
    const VERSION: &str = "2.15.2";
    let cluster = served::a_cluster(VERSION).await;
    let _operator = cluster.operator(None);
    let mut harbor = served::harbor(VERSION);
    harbor["spec"]["core"] = json!({"replicas": 2});
    harbor["spec"]["registry"] = json!({"replicas": 2});
    harbor["metadata"]["annotations"] = json!({ROTATE_ANNOTATION: "token"});
    cluster.apply_object(&harbor).await;
    until(&cluster, |harbor| rotations(harbor).iter().all(is_done) && !rotations(harbor).is_empty()).await;

    let clients = Clients::of(&cluster, "acme-harbor").await;
    harbor["metadata"]["annotations"] = json!({ROTATE_ANNOTATION: request});
    cluster.apply_object(&harbor).await;
    until(&cluster, |harbor| {
        let asked = rotations(harbor).iter().any(|rotation| rotation.request.as_deref() == Some(word));
        asked && rotations(harbor).iter().all(is_done) && is_ready(harbor)
    })
    .await;
    clients.failures()
}

pub fn rotations(harbor: &Harbor) -> &[RotationStatus] {
    harbor.status.as_ref().map(|status| status.rotations.as_slice()).unwrap_or_default()
}

pub fn is_done(rotation: &RotationStatus) -> bool {
    rotation.phase == RotationPhase::Done
}

async fn without_kills() -> Objects {
    let cluster = a_harbor().await;
    let watched = Watched::pods(&cluster);
    let _operator = cluster.operator(None);
    apply(&cluster, "all@1").await;
    until_rotated(&cluster).await;
    watched.assert_all_agreed();
    assert_rotated_once(&cluster).await;
    Objects::of(&cluster).await
}

/// Rotates with operators that are killed after so many writes, and returns how many there were.
async fn with_kills(expected: &Objects, mut writes: impl FnMut() -> u64) -> usize {
    let cluster = a_harbor().await;
    let watched = Watched::pods(&cluster);
    let mut secrets = cluster.watch_secrets();
    apply(&cluster, "all@1").await;
    let mut lives = 0;
    loop {
        assert!(lives < MOST_LIVES, "the rotations do not go on");
        let mut doomed = cluster.operator(Some(writes()));
        tokio::select! {
            () = doomed.killed() => lives += 1,
            // It has nothing left to send.
            () = tokio::time::sleep(Duration::from_mins(10)) => break,
        }
    }
    let _operator = cluster.operator(None);
    until_rotated(&cluster).await;
    watched.assert_all_agreed();
    secrets.assert_never_changed();
    assert_rotated_once(&cluster).await;
    expected.assert_same(&Objects::of(&cluster).await);
    lives
}

/// A cluster with a Harbor that is ready, and no operator.
pub async fn a_harbor() -> Cluster {
    let cluster = Cluster::new().await;
    cluster.apply("namespace.yaml").await;
    cluster.apply("harbor-inputs.yaml").await;
    apply(&cluster, "").await;
    let _operator = cluster.operator(None);
    until(&cluster, is_ready).await;
    cluster
}

/// Applies the Harbor with this request.
pub async fn apply(cluster: &Cluster, request: &str) {
    cluster.apply_object(&harbor(request)).await;
}

/// The Harbor with this request.
pub fn harbor(request: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbor.yaml");
    let mut harbor: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    harbor["metadata"]["annotations"][ROTATE_ANNOTATION] = request.into();
    harbor["spec"]["core"]["replicas"] = 2.into();
    harbor
}

async fn until_rotated(cluster: &Cluster) {
    until(cluster, |harbor| {
        rotations(harbor).iter().filter(|it| is_done(it)).count() == ROTATED.len() && is_ready(harbor)
    })
    .await;
}

pub fn is_ready(harbor: &Harbor) -> bool {
    let status = harbor.status.as_ref();
    let mut conditions = status.into_iter().flat_map(|status| &status.common.conditions);
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// Waits until something holds for the Harbor, and a minute longer.
pub async fn until(cluster: &Cluster, holds: impl Fn(&Harbor) -> bool) {
    let api: Api<Harbor> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let holds = |harbor: Option<&Harbor>| harbor.is_some_and(&holds);
    let held = timeout(Duration::from_hours(1), Box::pin(await_condition(api.clone(), "acme", holds))).await;
    let Ok(held) = held else {
        panic!("the Harbor does not get there: {:#}", json!(api.get("acme").await.unwrap().status))
    };
    held.unwrap();
    tokio::time::sleep(Duration::from_mins(1)).await;
}

/// Each credential has its second Secret, and no other is left.
async fn assert_rotated_once(cluster: &Cluster) {
    let api: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let secrets = api.list(&ListParams::default()).await.unwrap().items;
    let names: BTreeSet<_> = secrets.iter().map(ResourceExt::name_any).collect();
    for (_, base) in ROTATED {
        let of = |name: &&String| name.starts_with(&format!("acme-harbor-{base}"));
        let found: Vec<_> = names.iter().filter(of).map(String::as_str).collect();
        let (before, now) = (format!("acme-harbor-{base}"), format!("acme-harbor-{base}-1"));
        let left = if base == TOKEN { vec![before.as_str(), now.as_str()] } else { vec![now.as_str()] };
        assert_eq!(found, left);
    }
}

/// What the pods of a Harbor have, event by event.
struct Watched {
    pods: Arc<Mutex<Pods>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Pods {
    /// The pods that are not terminating.
    alive: BTreeMap<String, Has>,
    /// What was wrong, and when.
    wrong: BTreeSet<String>,
}

/// A pod.
struct Has {
    component: &'static str,
    /// The Secrets that it was made for, without what their names have in common.
    secrets: BTreeSet<String>,
    is_ready: bool,
}

impl Watched {
    fn pods(cluster: &Cluster) -> Self {
        let pods = Arc::<Mutex<Pods>>::default();
        let noted = Arc::clone(&pods);
        let api: Api<Pod> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let task = tokio::spawn(async move {
            let mut events = std::pin::pin!(watcher(api, watcher::Config::default()));
            let mut is_listed = false;
            while let Some(event) = events.next().await {
                let mut pods = noted.lock().unwrap();
                match event.unwrap() {
                    Event::Apply(pod) | Event::InitApply(pod) => pods.note(&pod),
                    Event::Delete(pod) => drop(pods.alive.remove(&pod.name_any())),
                    Event::Init => {}
                    Event::InitDone => is_listed = true,
                }
                if is_listed {
                    pods.check();
                }
            }
        });
        Self { pods, task }
    }

    fn assert_all_agreed(&self) {
        self.task.abort();
        let pods = self.pods.lock().unwrap();
        assert!(!pods.alive.is_empty());
        assert_eq!(pods.wrong, BTreeSet::new());
    }
}

impl Pods {
    fn note(&mut self, pod: &Pod) {
        let component = ["core", "jobservice", "registry"];
        let is_it = |name: &&'static str| pod.labels().contains_key(&api::names::pod_name_label(name));
        let Some(component) = component.into_iter().find(is_it) else { return };
        if pod.metadata.deletion_timestamp.is_some() {
            self.alive.remove(&pod.name_any());
            return;
        }
        let spec = serde_json::to_string(&pod.spec).unwrap();
        let secrets = spec.split('"').filter_map(|text| text.strip_prefix("acme-harbor-")).map(str::to_owned);
        let status = pod.status.as_ref().and_then(|status| status.conditions.as_ref());
        let is_ready = status.into_iter().flatten().any(|it| it.type_ == "Ready" && it.status == "True");
        self.alive.insert(pod.name_any(), Has { component, secrets: secrets.collect(), is_ready });
    }

    fn check(&mut self) {
        let Self { alive, wrong } = self;
        let alive = &*alive;
        let of = |component: &'static str| alive.values().filter(move |pod| pod.component == component);
        if !of("core").any(|pod| pod.is_ready) {
            wrong.insert("no pod of Core serves".to_owned());
        }
        let login = "registry-basicauth";
        for client in of("core").chain(of("jobservice")) {
            for registry in of("registry").filter(|registry| !registry.accepts(client.one(login))) {
                let (client, user, users) = (client.component, client.one(login), registry.one(login));
                wrong.insert(format!("{client} logs in with {user} where {users} are accepted"));
            }
        }
        for jobservice in of("jobservice") {
            for other in of("core").chain(of("registry")) {
                for secret in ["jobservice-secret", "core-secret"] {
                    if jobservice.one(secret) != other.one(secret) {
                        let others = other.component;
                        wrong.insert(format!("JobService and {others} have another {secret}"));
                    }
                }
            }
        }
    }
}

impl Has {
    /// Which of the Secrets with a credential it has.
    fn one(&self, base: &str) -> &str {
        let is_it = |name: &&String| {
            let end = name.strip_prefix(base);
            end.is_some_and(|end| ["", "-1", "-2", "-both"].contains(&end))
        };
        self.secrets.iter().find(is_it).map_or("none", String::as_str)
    }

    /// Whether the registry accepts the user of a Secret.
    fn accepts(&self, user: &str) -> bool {
        let users = self.one("registry-basicauth");
        users == user || users.ends_with("-both")
    }
}
