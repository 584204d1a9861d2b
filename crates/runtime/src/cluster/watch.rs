//! One watch per kind, for owners and for children. Its events update the index.

mod backoff;
#[cfg(test)]
mod tests;

use super::{Classes, Cluster, Lists, lean_metadata::LeanMetadata, reach::Reach};
use crate::{Scope, telemetry::FirstList};
use api::names::{CERT_MANAGER_LABEL, CONTROLLER_LABEL, TASK_LABEL};
use backoff::WatchBackoff;
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Resource,
    core::{ApiResource, DynamicObject},
    runtime::watcher::{self, Event, watcher},
};
use plan::{ChildKind, HarborClass, Health, ManagedBy, ObjectKey, Observe, ObservedObject};
use std::{
    collections::BTreeSet,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinSet;

/// How long the operator waits on average before it retries to list a kind that is not served.
const UNSERVED_RETRY: Duration = Duration::from_mins(5);

/// How many objects are in memory at the same time while they are listed.
const PAGE: u32 = 20;

/// Which objects of a kind are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All: they are owners.
    Owners,
    /// All, as metadata only: any of them may be an input.
    Inputs,
    /// All, as whole objects: any of them may be an input, and the status is needed.
    InputsWithStatus,
    /// Objects with the operator's label.
    Children,
    /// Pods with the operator's label that do one task and end. The pods of Deployments have the operator's label, too.
    Tasks,
}

/// Whether any object of this kind may be an input, so that the operator watches all of them and not only its children.
pub(crate) fn is_input(group: &str, kind: &str) -> bool {
    matches!(
        (group, kind),
        ("", "Secret" | "ConfigMap" | "PersistentVolumeClaim" | "Namespace" | "ServiceAccount")
            | ("batch", "CronJob")
    )
}

impl Extent {
    fn of(cluster: &Cluster, kind: &ChildKind) -> Self {
        let ApiResource { group, kind: name, .. } = &kind.resource;
        match kind.observe {
            _ if cluster.component(group, name).is_some() => Self::Owners,
            Observe::Metadata if is_input(group, name) => Self::Inputs,
            Observe::Status if is_input(group, name) => Self::InputsWithStatus,
            Observe::Metadata | Observe::Status if group.is_empty() && name == "Pod" => Self::Tasks,
            Observe::Metadata | Observe::Status => Self::Children,
        }
    }
}

/// Starts a watch of every kind of owner and child. Returns them, to wait for their first lists.
pub(crate) fn start_watches(cluster: &Arc<Cluster>, scope: &Scope, tasks: &mut JoinSet<()>) -> Vec<Watched> {
    let owners = cluster.components.iter().map(|component| &component.kind);
    let children = cluster
        .children
        .iter()
        .filter(|it| cluster.component(&it.resource.group, &it.resource.kind).is_none());
    let mut watched = Vec::new();
    for kind in owners.chain(children).cloned() {
        let Some(reach) = Reach::of(&kind, scope, cluster) else { continue };
        let first = cluster.health.first_list(&kind.resource.kind);
        watched.push(Watched { resource: kind.resource.clone(), reach: reach.clone(), first: first.clone() });
        tasks.spawn(watch(Arc::clone(cluster), kind, reach, first));
    }
    watched
}

/// A kind that is watched.
pub(crate) struct Watched {
    pub(crate) resource: ApiResource,
    pub(crate) reach: Reach,
    /// Its first list.
    pub(crate) first: FirstList,
}

/// Watches one kind until the operator stops. `first` is notified when the first list has ended or failed: an
/// optional kind that is not installed must not delay the rest.
///
/// While a kind is not served, the operator sends about one request every five minutes to find out whether it is.
/// When idle, it sends only these twelve requests an hour for each missing kind, besides its open watches. The index
/// knows whether a kind is served, and enqueues the owners that read this when it changes. The watch notices the
/// deletion of a definition when it reconnects, within five minutes, or at once when a write of such an object fails.
async fn watch(cluster: Arc<Cluster>, kind: ChildKind, reach: Reach, first: FirstList) {
    let extent = Extent::of(&cluster, &kind);
    let resource = &kind.resource;
    loop {
        let lists = cluster.lists(&reach.scope()).await;
        let watch = Watch { cluster: &cluster, kind: &kind, reach: &reach, extent, lists, first: &first };
        let ended = match extent {
            Extent::Inputs => {
                let mut issued = pin!(watch.whole(CERT_MANAGER_LABEL));
                if kind.managed_by == ManagedBy::Operator {
                    watch.preload(pin!(watch.whole(CONTROLLER_LABEL))).await;
                }
                if resource.kind == "Secret" {
                    watch.preload(issued.as_mut()).await;
                }
                let api: Api<LeanMetadata> = reach.api(&cluster.client, resource);
                let observe = |object: LeanMetadata| {
                    let observed = watch.observe(&object.metadata, Health::READY)?;
                    Some((observed, None))
                };
                let ended = watch.drive(watcher(api, watch.config()), observe);
                tokio::select! {
                    // In a fixed order, so that a run with a seed can be repeated.
                    biased;
                    ended = ended => ended,
                    () = watch.follow(issued), if resource.kind == "Secret" => Ended::Stopped,
                }
            }
            Extent::Owners | Extent::InputsWithStatus | Extent::Children | Extent::Tasks => {
                let api: Api<DynamicObject> = reach.api(&cluster.client, resource);
                let observe = |object: DynamicObject| Some((watch.observe_whole(&object)?, Some(object)));
                watch.drive(watcher(api, watch.config()), observe).await
            }
        };
        match ended {
            Ended::Stopped => return,
            Ended::Unserved => watch.unserved().await,
        }
    }
}

/// Why a watch ended.
enum Ended {
    /// The operator stops.
    Stopped,
    /// The API server does not serve the kind.
    Unserved,
}

impl Cluster {
    /// How this API server lists objects; found out with one request.
    async fn lists(&self, scope: &Scope) -> Lists {
        let probe = || async {
            let resource = ApiResource::erase::<ConfigMap>(&());
            // No answer is no decision: the next watch asks again.
            Lists::probe(&scope.api(&self.client, &resource)).await
        };
        self.lists.get_or_try_init(probe).await.copied().unwrap_or(Lists::Paged)
    }
}

/// Events of a watch of whole objects.
trait WholeObjects: Stream<Item = watcher::Result<Event<DynamicObject>>> {}

impl<T: Stream<Item = watcher::Result<Event<DynamicObject>>>> WholeObjects for T {}

/// The watch of one kind.
struct Watch<'a> {
    cluster: &'a Cluster,
    kind: &'a ChildKind,
    reach: &'a Reach,
    extent: Extent,
    lists: Lists,
    first: &'a FirstList,
}

impl Watch<'_> {
    /// A watch list if the API server supports it, because it sends the objects one by one. Otherwise small pages: an
    /// object takes thirty times as much memory while it is decoded as the part that is kept, and a page is decoded
    /// as a whole. Every user who may create a Secret can make its metadata as large as etcd allows, which is 1.5
    /// MiB.
    fn config(&self) -> watcher::Config {
        let config = match self.extent {
            Extent::Children => self.reach.config().labels(CONTROLLER_LABEL),
            Extent::Tasks => self.reach.config().labels(&format!("{CONTROLLER_LABEL},{TASK_LABEL}")),
            Extent::Owners | Extent::Inputs | Extent::InputsWithStatus => self.reach.config(),
        };
        self.lists.config(config, PAGE)
    }

    fn observe(&self, meta: &kube::core::ObjectMeta, health: Health) -> Option<ObservedObject> {
        ObservedObject::of(&self.kind.resource, meta, health, &self.cluster.predecessors)
    }

    fn observe_whole(&self, object: &DynamicObject) -> Option<ObservedObject> {
        let health = serde_json::to_value(object).and_then(self.kind.health);
        // The operator applies a child that cannot be decoded again, and then reports the problem.
        let observed = self.observe(&object.metadata, health.unwrap_or_else(|_| Health::undecodable()))?;
        let known = self.cluster.router.index.child(&observed.key);
        let is_known = known.is_some_and(|known| known.owned_fields == observed.observation.owned_fields);
        let observed = observed.with_status(object);
        Some(if is_known { observed } else { observed.with_applied(object, &self.kind.resource) })
    }

    /// Reads objects whole that owners are going to read, before anything is reconciled, so that none of them has to be
    /// read by itself after a restart. What cannot be listed is read later.
    async fn preload(&self, mut events: Pin<&mut impl WholeObjects>) {
        while !self.first.has_ended()
            && let Some(Some(event)) = self.cluster.stop.run_until_cancelled(events.next()).await
        {
            match event {
                Ok(Event::InitApply(object)) => {
                    if let Some(key) = self.seen_whole(&object) {
                        self.cluster.cache.preload(&key, object);
                    }
                }
                Ok(Event::Init) => {}
                Ok(Event::InitDone | Event::Apply(_) | Event::Delete(_)) | Err(_) => return,
            }
        }
    }

    /// Follows the Secrets that cert-manager issues, with their content: an owner reads most of them as soon as they
    /// exist. While this watch fails, such Secrets are read one by one. Ends when the operator stops.
    async fn follow(&self, mut events: Pin<&mut impl WholeObjects>) {
        let stop = &self.cluster.stop;
        while let Some(Some(event)) = stop.run_until_cancelled(events.next()).await {
            match event {
                Ok(Event::Apply(object)) => {
                    if let Some(key) = self.seen_whole(&object) {
                        self.cluster.cache.put(&key, Some(object));
                    }
                }
                Ok(Event::Init | Event::InitApply(_) | Event::InitDone | Event::Delete(_)) => {}
                Err(_) => drop(stop.run_until_cancelled(tokio::time::sleep(WatchBackoff::LONGEST)).await),
            }
        }
        stop.cancelled().await;
    }

    fn whole(&self, label: &str) -> impl WholeObjects + use<> {
        let api: Api<DynamicObject> = self.reach.api(&self.cluster.client, &self.kind.resource);
        watcher(api, self.config().labels(label))
    }

    fn seen_whole(&self, object: &DynamicObject) -> Option<ObjectKey> {
        let observed = self.observe_whole(object)?;
        let (router, key) = (&self.cluster.router, observed.key.clone());
        router.wake(router.index.seen(observed));
        Some(key)
    }

    async fn drive<K: Resource>(
        &self,
        events: impl Stream<Item = watcher::Result<Event<K>>>,
        observe: impl Fn(K) -> Option<(ObservedObject, Option<DynamicObject>)>,
    ) -> Ended {
        let Self { cluster, first, .. } = self;
        let (router, resource) = (&cluster.router, &self.kind.resource);
        let kind = ObjectKey::kind(resource);
        let mut listed = BTreeSet::<ObjectKey>::new();
        let mut backoff = WatchBackoff::default();
        let mut events = pin!(events);
        let mut is_served = false;
        loop {
            let event = tokio::select! {
                biased;
                () = cluster.stop.cancelled() => return Ended::Stopped,
                () = router.until_unserved(&kind), if is_served => return Ended::Unserved,
                event = events.next() => event,
            };
            let Some(event) = event else { return Ended::Stopped };
            match event {
                Ok(Event::Init) => listed.clear(),
                Ok(Event::InitApply(object)) => listed.extend(observe(object).map(|seen| self.seen(seen))),
                Ok(Event::InitDone) => {
                    router.wake(router.index.served(&kind));
                    is_served = true;
                    // Frees the names of all Secrets of the cluster after the index has compared them.
                    let listed = std::mem::take(&mut listed);
                    router.wake(router.index.listed(&resource.group, &resource.kind, &listed));
                    let gone = cluster.owners.retain(&resource.group, &resource.kind, &listed);
                    for owner in &gone {
                        cluster.unclaimed(owner);
                    }
                    router.wake(gone);
                    cluster.all_changed(resource);
                    backoff.reset();
                    first.ended();
                }
                Ok(Event::Apply(object)) => {
                    backoff.reset();
                    observe(object).map(|seen| self.seen(seen));
                }
                Ok(Event::Delete(object)) => {
                    if let Some((observed, _)) = observe(object) {
                        self.gone(&observed);
                    }
                }
                // Resuming the watch from the last version could miss objects of a definition that is installed again.
                Err(error) if is_unserved(&error) => return Ended::Unserved,
                Err(error) => {
                    first.failed();
                    let wait = backoff.failed(&cluster.metrics, &*cluster.entropy, &resource.kind, &error);
                    cluster.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
                }
            }
        }
    }

    fn seen(&self, (observed, object): (ObservedObject, Option<DynamicObject>)) -> ObjectKey {
        let Cluster { router, owners, classes, .. } = self.cluster;
        let key = observed.key.clone();
        self.cluster.cache.replace_older(&key, &observed.observation.resource_version, object.as_ref());
        router.wake(router.index.seen(observed));
        if let (Extent::Owners, Some(object)) = (self.extent, object) {
            let is_ours = match classes {
                Classes::All => true,
                Classes::Only(class) => HarborClass::of(&object.metadata) == *class,
            };
            // Another operator reconciles an object of another class, even if it is a child of an owner of this
            // operator.
            let changed = if is_ours {
                router.index.exists(&key, &object.metadata);
                self.cluster.claimed(&key, &object.metadata);
                owners.put(&key, object)
            } else {
                self.cluster.unclaimed(&key);
                owners.remove(&key)
            };
            if changed {
                router.wake([key.clone()].into());
                self.cluster.all_changed(&self.kind.resource);
            }
        }
        key
    }

    fn gone(&self, observed: &ObservedObject) {
        let Cluster { router, owners, cache, .. } = self.cluster;
        cache.put(&observed.key, None);
        router.wake(router.index.gone(observed));
        if self.extent == Extent::Owners && owners.remove(&observed.key) {
            self.cluster.unclaimed(&observed.key);
            router.wake([observed.key.clone()].into());
            self.cluster.all_changed(&self.kind.resource);
        }
    }

    /// Records that the kind is not served, and waits before the next attempt.
    async fn unserved(&self) {
        let Cluster { router, entropy, stop, .. } = self.cluster;
        let kind = ObjectKey::kind(&self.kind.resource);
        if router.index.serves(&kind) {
            tracing::info!(%kind, "the API server does not serve this kind; the operator continues without it");
        }
        router.wake(router.unserved(&kind));
        self.first.ended();
        let wait = UNSERVED_RETRY / 2 + entropy.jitter(UNSERVED_RETRY);
        stop.run_until_cancelled(tokio::time::sleep(wait)).await;
    }
}

/// Whether the API server does not serve the kind. A list succeeds even in a namespace that does not exist, so 404
/// means that the kind does not exist.
fn is_unserved(error: &watcher::Error) -> bool {
    use watcher::Error::{InitialListFailed, WatchStartFailed};
    matches!(
        error,
        InitialListFailed(kube::Error::Api(status)) | WatchStartFailed(kube::Error::Api(status))
            if status.code == 404
    )
}
