//! Watches the cluster and calls the stand-ins of changed objects, never twice at the same time for one object.

use crate::{
    kind::Kind,
    reconcile::{self, Next},
    world::{Key, World},
    write::ReconcileError,
};
use futures::{StreamExt as _, future::try_join_all};
use kube::{
    Api,
    core::{ApiResource, DynamicObject},
    runtime::{WatchStreamExt as _, watcher, watcher::Event},
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    pin::pin,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{mpsc::UnboundedReceiver, oneshot},
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

const FIRST_RETRY: Duration = Duration::from_millis(100);
/// The longest timer, because an `Instant` cannot represent every time. A stand-in that is called too early sets
/// another.
const FARTHEST: Duration = Duration::from_hours(24 * 365);
const LAST_RETRY: Duration = Duration::from_secs(30);

/// Why the stand-ins ended although they were not stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A watch ended, which should never happen.
    #[error("a watch of the stand-ins ended; this is a defect, please report it")]
    WatchEnded,
}

type Outcome = (Key, Result<Next, ReconcileError>);

/// Watches the cluster and calls stand-ins until `stop`.
pub(crate) async fn run(
    world: Arc<World>,
    kinds: Vec<Kind>,
    mut woken: UnboundedReceiver<Key>,
    stop: CancellationToken,
) -> Result<(), RunError> {
    let mut watches = JoinSet::new();
    let mut listed = Vec::new();
    for kind in world.built_in.clone() {
        let (done, first) = oneshot::channel();
        watches.spawn(follow(Arc::clone(&world), kind, Some(done)));
        listed.push(first);
    }
    // Before all pods are listed, a stand-in would create them again.
    let complete = tokio::select! {
        biased;
        () = stop.cancelled() => return Ok(()),
        complete = try_join_all(listed) => complete.is_ok(),
    };
    if !complete {
        return Err(RunError::WatchEnded);
    }
    watches.spawn(follow_definitions(Arc::clone(&world), kinds));

    let mut scheduler = Scheduler::new(world);
    loop {
        let (alarm, armed) = (scheduler.next_alarm(), !scheduler.alarms.is_empty());
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            Some(_) = watches.join_next() => return Err(RunError::WatchEnded),
            Some(key) = woken.recv() => scheduler.request(key),
            Some(ended) = scheduler.running.join_next() => match ended {
                Ok(outcome) => scheduler.finished(outcome),
                Err(error) => warn!(%error, "a stand-in panicked, and its object is not reconciled any more"),
            },
            () = sleep_until(alarm), if armed => scheduler.request_due(),
        }
    }
}

/// Running stand-ins, pending requests and timers.
struct Scheduler {
    world: Arc<World>,
    running: JoinSet<Outcome>,
    busy: HashSet<Key>,
    /// Requested while busy.
    again: HashSet<Key>,
    alarms: BTreeSet<(Instant, Key)>,
    /// The alarm of each key.
    set: HashMap<Key, Instant>,
    failures: HashMap<Key, u32>,
}

impl Scheduler {
    fn new(world: Arc<World>) -> Self {
        Self {
            world,
            running: JoinSet::new(),
            busy: HashSet::new(),
            again: HashSet::new(),
            alarms: BTreeSet::new(),
            set: HashMap::new(),
            failures: HashMap::new(),
        }
    }

    fn request(&mut self, key: Key) {
        if self.busy.contains(&key) {
            self.again.insert(key);
            return;
        }
        let Some(object) = self.world.get(&key) else {
            self.failures.remove(&key);
            return;
        };
        self.busy.insert(key.clone());
        let world = Arc::clone(&self.world);
        self.running.spawn(async move {
            let outcome = reconcile::reconcile(&world, key.kind, &object).await;
            (key, outcome)
        });
    }

    fn finished(&mut self, (key, outcome): Outcome) {
        self.busy.remove(&key);
        match outcome {
            Ok(next) => {
                self.failures.remove(&key);
                if let Next::After(time) = next {
                    self.set_alarm(&key, time);
                }
            }
            Err(error) => {
                let failures = self.failures.entry(key.clone()).or_default();
                let wait = FIRST_RETRY.saturating_mul(1 << (*failures).min(10)).min(LAST_RETRY);
                *failures += 1;
                if error.is_race() {
                    debug!(?key, %error, "another client changed the object first");
                } else {
                    warn!(?key, %error, "a stand-in failed and will retry");
                }
                self.set_alarm(&key, wait);
            }
        }
        if self.again.remove(&key) {
            self.request(key);
        }
    }

    fn next_alarm(&self) -> Instant {
        self.alarms.first().map_or_else(Instant::now, |(time, _)| *time)
    }

    fn request_due(&mut self) {
        let now = Instant::now();
        while self.alarms.first().is_some_and(|(time, _)| *time <= now) {
            let Some((_, key)) = self.alarms.pop_first() else { return };
            self.set.remove(&key);
            self.request(key);
        }
    }

    fn set_alarm(&mut self, key: &Key, after: Duration) {
        let time = Instant::now() + after.min(FARTHEST);
        if let Some(before) = self.set.insert(key.clone(), time) {
            self.alarms.remove(&(before, key.clone()));
        }
        self.alarms.insert((time, key.clone()));
    }
}

/// Watches a kind and updates the world.
async fn follow(world: Arc<World>, kind: Kind, mut listed: Option<oneshot::Sender<()>>) {
    let (client, resource) = (world.client.clone(), kind.resource());
    let api: Api<DynamicObject> = match &world.namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    };
    let mut events = pin!(watcher(api, watcher::Config::default()).default_backoff());
    let mut present = BTreeSet::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Init) => present.clear(),
            Ok(Event::InitApply(object)) => {
                present.insert(Key::of(kind, &object));
                world.observe(kind, object);
            }
            Ok(Event::InitDone) => {
                world.keep_only(kind, &present);
                if let Some(done) = listed.take() {
                    // The receiver is dropped only when the sandbox is ending.
                    let _ = done.send(());
                }
            }
            Ok(Event::Apply(object)) => world.observe(kind, object),
            Ok(Event::Delete(object)) => world.forget(Key::of(kind, &object)),
            Err(error) => debug!(?kind, %error, "restarting a watch"),
        }
    }
}

/// Watches the kinds with a definition, from when it is established until it is deleted.
async fn follow_definitions(world: Arc<World>, kinds: Vec<Kind>) {
    let mut watches = JoinSet::new();
    let mut followed: HashMap<Kind, AbortHandle> = HashMap::new();
    let api: Api<DynamicObject> = Api::all_with(world.client.clone(), &definitions());
    let mut events = pin!(watcher(api, watcher::Config::default()).default_backoff());
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::InitApply(definition) | Event::Apply(definition)) => {
                let Some(kind) = established(&definition).filter(|kind| kinds.contains(kind)) else {
                    continue;
                };
                followed.entry(kind).or_insert_with(|| watches.spawn(follow(Arc::clone(&world), kind, None)));
            }
            Ok(Event::Delete(definition)) => {
                let Some(kind) = defined(&definition) else { continue };
                if let Some(watch) = followed.remove(&kind) {
                    watch.abort();
                    world.keep_only(kind, &BTreeSet::new());
                }
            }
            Ok(Event::Init | Event::InitDone) => {}
            Err(error) => debug!(%error, "restarting the watch of definitions"),
        }
    }
}

fn definitions() -> ApiResource {
    ApiResource::erase::<
        k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    >(&())
}

fn defined(definition: &DynamicObject) -> Option<Kind> {
    let spec = &definition.data["spec"];
    Kind::defined_by(spec["group"].as_str()?, spec["names"]["plural"].as_str()?)
}

fn established(definition: &DynamicObject) -> Option<Kind> {
    let kind = defined(definition)?;
    let version = kind.resource().version;
    let versions = definition.data["spec"]["versions"].as_array()?;
    let served = versions.iter().any(|each| each["name"] == *version && each["served"] == true);
    (served && crate::condition::holds(&definition.data["status"]["conditions"], "Established"))
        .then_some(kind)
}
