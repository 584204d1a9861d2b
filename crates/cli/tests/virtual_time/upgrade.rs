//! The operator is killed during an upgrade over several hops. Whenever that is, the upgrade ends as without it, and each
//! migration runs once.

use crate::{
    Moments,
    cluster::{ADMIN_PASSWORD, Cluster, NAMESPACE},
    objects::Objects,
};
use api::{
    names::{IMMUTABLE_ANNOTATION, TASK_LABEL},
    v1beta1::Harbor,
};
use futures::StreamExt as _;
use harbor::jobs::Action;
use harborstate::{Access, Trust};
use k8s_openapi::{
    ByteString,
    api::core::v1::{Pod, Secret},
};
use kube::{
    Api, ResourceExt as _,
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

pub const BEFORE: &str = "2.12.4";
const WANTED: &str = "2.15.2";

/// More lives of an operator than an upgrade takes.
const MOST_LIVES: usize = 1000;

/// An upgrade to the newest version by one edit.
struct Way {
    from: &'static str,
    /// The version to which each hop leads, and what Core does during its migration.
    hops: &'static [(&'static str, DuringMigration)],
    /// The queue that a user has paused before, if Harbor can pause queues.
    paused: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DuringMigration {
    IsStopped,
    GoesOn,
}

/// From the oldest version, in which queues cannot be paused.
const ALL_HOPS: Way = Way {
    from: "2.5.3",
    hops: &[
        ("2.7.4", DuringMigration::GoesOn),
        ("2.9.5", DuringMigration::IsStopped),
        ("2.11.2", DuringMigration::IsStopped),
        ("2.13.2", DuringMigration::IsStopped),
        ("2.15.2", DuringMigration::GoesOn),
    ],
    paused: None,
};

const TWO_HOPS: Way = Way {
    from: BEFORE,
    hops: &[("2.14.3", DuringMigration::IsStopped), (WANTED, DuringMigration::GoesOn)],
    paused: Some(PAUSED_BY_USER),
};

#[tokio::test(start_paused = true)]
async fn an_upgrade_during_which_every_operator_is_killed_at_its_first_write_ends_as_without() {
    // What an operator sends at the same moment arrives, too.
    for (way, least) in [(TWO_HOPS, 20), (ALL_HOPS, 50)] {
        let expected = Upgraded::without_kills(&way).await;
        let lives = Upgraded::with_kills(&way, &expected, || 1).await;
        assert!(lives >= least, "the upgrade from {} took {lives} lives", way.from);
    }
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_during_which_the_operator_is_killed_now_and_then_ends_as_without() {
    let expected = Upgraded::without_kills(&TWO_HOPS).await;
    for seed in 0..2 {
        println!("seed {seed}");
        let mut moments = Moments(seed);
        Upgraded::with_kills(&TWO_HOPS, &expected, || 3 * moments.next()).await;
    }
}

/// The queue that a user has paused before.
pub const PAUSED_BY_USER: &str = "REPLICATION";

/// What an upgrade leads to.
struct Upgraded {
    objects: Objects,
    /// The queues of JobService that are paused.
    paused: Vec<String>,
    /// The record of Core's database without the fingerprints, which have a salt: the uid of the Core, which depends on when
    /// a thread has generated a key.
    record: BTreeMap<String, String>,
}

impl Upgraded {
    async fn without_kills(way: &Way) -> Self {
        let cluster = way.begin().await;
        let watched = Watched::pods(&cluster);
        let _operator = cluster.operator(None);
        apply(&cluster, WANTED).await;
        until_ready(&cluster).await;
        watched.assert_each_migration_ran_once_and_alone(way);
        Self::of(&cluster).await
    }

    /// Upgrades with operators that are killed after so many writes, and returns how many there were.
    async fn with_kills(way: &Way, expected: &Self, mut writes: impl FnMut() -> u64) -> usize {
        let cluster = way.begin().await;
        let generated = generated(&cluster).await;
        assert!(!generated.is_empty());
        let watched = Watched::pods(&cluster);
        apply(&cluster, WANTED).await;
        let mut lives = 0;
        loop {
            assert!(lives < MOST_LIVES, "the upgrade does not go on");
            let mut doomed = cluster.operator(Some(writes()));
            tokio::select! {
                () = doomed.killed() => lives += 1,
                // It has nothing left to send.
                () = tokio::time::sleep(Duration::from_mins(10)) => break,
            }
        }
        let _operator = cluster.operator(None);
        until_ready(&cluster).await;
        watched.assert_each_migration_ran_once_and_alone(way);
        let actual = Self::of(&cluster).await;
        expected.objects.assert_same(&actual.objects);
        assert_eq!(actual.record, expected.record);
        let paused: Vec<_> = way.paused.map(str::to_owned).into_iter().collect();
        assert_eq!((&actual.paused, &expected.paused), (&paused, &paused));
        assert_eq!(self::generated(&cluster).await, generated);
        lives
    }

    async fn of(cluster: &Cluster) -> Self {
        let secrets: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let record = secrets.get("acme-harbor-core-database").await.unwrap().data.unwrap();
        let text = |(key, value): (String, ByteString)| (key, String::from_utf8(value.0).unwrap());
        let mut record: BTreeMap<_, _> = record.into_iter().map(text).collect();
        for salted in
            ["encryption-key-fingerprint", "database-access-fingerprint", "redis-access-fingerprint"]
        {
            assert!(record.remove(salted).is_some(), "{salted}");
        }
        Self { objects: Objects::of(cluster).await, paused: paused(cluster).await, record }
    }
}

impl Way {
    /// A cluster with a Harbor that is ready, and no operator.
    async fn begin(&self) -> Cluster {
        let cluster = a_harbor_of(self.from, Cluster::new().await).await;
        if let Some(queue) = self.paused {
            as_user(&cluster).jobs().act(queue, Action::Pause).await.unwrap();
        }
        cluster
    }
}

/// This cluster with a Harbor that is ready, in which a user has paused a queue, and no operator.
pub async fn a_harbor_in(cluster: Cluster) -> Cluster {
    let cluster = a_harbor_of(BEFORE, cluster).await;
    as_user(&cluster).jobs().act(PAUSED_BY_USER, Action::Pause).await.unwrap();
    cluster
}

async fn a_harbor_of(version: &str, cluster: Cluster) -> Cluster {
    cluster.apply("namespace.yaml").await;
    cluster.apply("harbor-inputs.yaml").await;
    apply(&cluster, version).await;
    let _operator = cluster.operator(None);
    until_ready(&cluster).await;
    cluster
}

/// The Harbor, as its administrator reaches it even without pods.
pub fn as_user(cluster: &Cluster) -> harbor::Harbor {
    let (url, username, password) =
        ("http://harbor.example.com".into(), "admin".into(), ADMIN_PASSWORD.into());
    let access = Access { url, username, password, trust: Trust::Public };
    harbordriver::over(cluster.harbor.clone(), &access).unwrap()
}

/// The queues of JobService that are paused.
pub async fn paused(cluster: &Cluster) -> Vec<String> {
    let queues = as_user(cluster).jobs().queues().await.unwrap();
    queues.into_iter().filter(|queue| queue.paused).map(|queue| queue.job_type).collect()
}

/// Applies the Harbor with this version.
pub async fn apply(cluster: &Cluster, version: &str) {
    apply_with(cluster, version, json!({})).await;
}

/// Applies the Harbor with this version, and with these fields of its spec.
pub async fn apply_with(cluster: &Cluster, version: &str, fields: Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbor.yaml");
    let mut harbor: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    harbor["spec"]["version"] = version.into();
    harbor["spec"].as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    cluster.apply_object(&harbor).await;
}

/// Waits until the Harbor is ready as its newest spec wants it, and a minute longer.
pub async fn until_ready(cluster: &Cluster) {
    let api: Api<Harbor> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let is_ready = |harbor: Option<&Harbor>| {
        let generation = harbor.and_then(|harbor| harbor.metadata.generation);
        let status = harbor.and_then(|harbor| harbor.status.as_ref());
        let mut conditions = status.into_iter().flat_map(|status| &status.common.conditions);
        conditions
            .any(|it| it.type_ == "Ready" && it.status == "True" && it.observed_generation == generation)
    };
    let ready = timeout(Duration::from_hours(1), Box::pin(await_condition(api, "acme", is_ready))).await;
    ready.expect("the Harbor becomes ready").unwrap();
    tokio::time::sleep(Duration::from_mins(1)).await;
}

/// The contents of all Secrets that the operator creates once.
async fn generated(cluster: &Cluster) -> BTreeMap<String, Option<BTreeMap<String, ByteString>>> {
    let secrets: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let secrets = secrets.list(&ListParams::default()).await.unwrap().items;
    let once = secrets.into_iter().filter(|secret| secret.annotations().contains_key(IMMUTABLE_ANNOTATION));
    once.map(|secret| (secret.name_any(), secret.data)).collect()
}

/// What the pods of a Harbor do, event by event.
struct Watched {
    pods: Arc<Mutex<Pods>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Pods {
    /// The uids of the pods that have begun to migrate, by name.
    migrated: BTreeMap<String, BTreeSet<String>>,
    /// The pods of Core that are not terminating.
    core: BTreeSet<String>,
    /// The pods of Core that there were while a pod migrated.
    beside: BTreeMap<String, BTreeSet<String>>,
}

impl Watched {
    fn pods(cluster: &Cluster) -> Self {
        let pods = Arc::<Mutex<Pods>>::default();
        let noted = Arc::clone(&pods);
        let api: Api<Pod> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let task = tokio::spawn(async move {
            let mut events = std::pin::pin!(watcher(api, watcher::Config::default()));
            while let Some(event) = events.next().await {
                let mut pods = noted.lock().unwrap();
                match event.unwrap() {
                    Event::Apply(pod) | Event::InitApply(pod) => pods.note(&pod),
                    Event::Delete(pod) => pods.core.retain(|name| *name != pod.name_any()),
                    Event::Init | Event::InitDone => {}
                }
            }
        });
        Self { pods, task }
    }

    fn assert_each_migration_ran_once_and_alone(&self, way: &Way) {
        self.task.abort();
        let Pods { migrated, beside, .. } = &*self.pods.lock().unwrap();
        let run = |(name, pods): (&String, &BTreeSet<String>)| {
            let core =
                if beside[name].is_empty() { DuringMigration::IsStopped } else { DuringMigration::GoesOn };
            (name.clone(), (pods.len(), core))
        };
        let runs: BTreeMap<_, _> = migrated.iter().map(run).collect();
        let pod = |version: &str| format!("acme-harbor-core-migrate-{}", version.replace('.', "-"));
        let expected = way.hops.iter().map(|(version, core)| (pod(version), (1, *core)));
        assert_eq!(runs, expected.collect());
    }
}

impl Pods {
    fn note(&mut self, pod: &Pod) {
        let (name, uid) = (pod.name_any(), pod.uid().unwrap());
        let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default();
        if pod.labels().contains_key(TASK_LABEL) {
            if ["Running", "Succeeded", "Failed"].contains(&phase)
                && self.migrated.entry(name.clone()).or_default().insert(uid)
            {
                self.beside.entry(name).or_default().extend(self.core.iter().cloned());
            }
        } else if pod.labels().contains_key("core.goharbor.io/name") {
            if pod.metadata.deletion_timestamp.is_some() {
                self.core.remove(&name);
            } else {
                self.core.insert(name);
            }
        }
    }
}
