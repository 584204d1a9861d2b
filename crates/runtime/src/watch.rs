//! One watch per kind: what it sees goes to the index.

use crate::{Scope, Sighting, glance::Glance, health::FirstList, shared::Shared};
use api::names::CONTROLLER_LABEL;
use futures::{Stream, StreamExt as _};
use kube::{
    Api, Client, Resource,
    core::{ApiResource, DynamicObject, PartialObjectMeta},
    runtime::watcher::{self, Event, watcher},
};
use plan::{ChildKind, Health, ObjectKey, Observe};
use serde::de::DeserializeOwned;
use std::{collections::BTreeSet, fmt::Debug, pin::pin, sync::Arc, time::Duration};

/// Which objects of a kind are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// Our children.
    Children,
    /// All: any of them may be an input, of which alone anything is kept.
    All,
}

impl Breadth {
    /// Any Secret, `ConfigMap` or claim of a volume may be an input; of the other kinds only our children matter.
    pub(crate) fn of(group: &str, kind: &str) -> Self {
        match (group, kind) {
            ("", "Secret" | "ConfigMap" | "PersistentVolumeClaim") => Self::All,
            _ => Self::Children,
        }
    }
}

/// After how long a kind that is not served is looked for again, on average.
const ANOTHER_LOOK: Duration = Duration::from_mins(5);

/// Watches one kind until the operator stops. `first` hears when the first list has ended, or failed: an optional kind that
/// is not installed must not keep the rest from starting.
///
/// A kind that is not served is looked for every five minutes or so, with one list request, for as long as it is not:
/// twelve requests in an hour for each missing kind are all an idle operator sends besides its open watches. Whether it
/// is served is known to the index, and whoever asked is woken when that changes. That a definition was deleted shows
/// when the watch is next renewed, within five minutes too, or at once when an object of the kind cannot be written.
pub(crate) async fn watch(shared: Arc<Shared>, kind: ChildKind, scope: Scope, first: FirstList) {
    let breadth = Breadth::of(&kind.resource.group, &kind.resource.kind);
    let config = || match breadth {
        Breadth::Children => paged().labels(CONTROLLER_LABEL),
        Breadth::All => paged(),
    };
    let resource = &kind.resource;
    let Shared { client, predecessors, .. } = &*shared;
    loop {
        let ended = match (kind.observe, breadth) {
            (Observe::Metadata, Breadth::All) => {
                let api: Api<Glance> = scope.api(client, resource);
                let sight =
                    |object: &Glance| Sighting::of(resource, &object.metadata, Health::READY, predecessors);
                drive(&shared, resource, watcher(api, config()), sight, &first).await
            }
            (Observe::Metadata, Breadth::Children) => {
                let api: Api<PartialObjectMeta<DynamicObject>> = scope.api(client, resource);
                let sight = |object: &PartialObjectMeta<DynamicObject>| {
                    Sighting::of(resource, &object.metadata, Health::READY, predecessors)
                };
                drive(&shared, resource, watcher(api, config()), sight, &first).await
            }
            (Observe::Status, _) => {
                let api: Api<DynamicObject> = scope.api(client, resource);
                let sight = |object: &DynamicObject| {
                    let health = serde_json::to_value(object).and_then(kind.health);
                    // Children are ours; one that cannot be decoded is applied again and then tells what is wrong.
                    let health = health.unwrap_or_else(|_| Health::undecodable());
                    let sighting = Sighting::of(resource, &object.metadata, health, predecessors)?;
                    Some(sighting.counting(object))
                };
                drive(&shared, resource, watcher(api, config()), sight, &first).await
            }
        };
        match ended {
            Ended::Stopped => return,
            Ended::Unserved => unserved(&shared, resource, &first).await,
        }
    }
}

/// Tells that a kind is not served, and waits before it is looked for again.
async fn unserved(shared: &Shared, resource: &ApiResource, first: &FirstList) {
    let router = &shared.router;
    let kind = ObjectKey::dynamic(resource, "", "");
    if router.index.serves(&kind) {
        tracing::info!(%kind, "not served by the cluster; what depends on it does without");
    }
    router.wake(router.unserved(&kind));
    first.ended();
    let wait = ANOTHER_LOOK / 2 + shared.dice.jitter(ANOTHER_LOOK);
    shared.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
}

/// How many objects are in memory at once while they are listed.
const PAGE: u32 = 20;

/// Lists in small pages: an object on its way in is thirty times the size of what is kept of it, and a page is in
/// memory as a whole, twice while it is decoded. Everybody who may create a Secret can make its metadata as large as etcd
/// takes, which is 1.5 MiB.
pub(crate) fn paged() -> watcher::Config {
    watcher::Config::default().page_size(PAGE)
}

/// Why a watch came to an end.
enum Ended {
    /// So did the operator.
    Stopped,
    /// The API server does not know the kind.
    Unserved,
}

async fn drive<K: Resource>(
    shared: &Shared,
    resource: &ApiResource,
    events: impl Stream<Item = watcher::Result<Event<K>>>,
    sight: impl Fn(&K) -> Option<Sighting>,
    first: &FirstList,
) -> Ended {
    let mut listed = BTreeSet::<ObjectKey>::new();
    let mut patience = Patience::default();
    let router = &shared.router;
    let mut events = pin!(events);
    let kind = ObjectKey::dynamic(resource, "", "");
    let mut is_served = false;
    loop {
        let event = tokio::select! {
            biased;
            () = shared.stop.cancelled() => return Ended::Stopped,
            () = router.until_unserved(&kind), if is_served => return Ended::Unserved,
            event = events.next() => event,
        };
        let Some(event) = event else { return Ended::Stopped };
        match event {
            Ok(Event::Init) => listed.clear(),
            Ok(Event::InitApply(object)) => {
                if let Some(sighting) = sight(&object) {
                    listed.insert(sighting.key.clone());
                    router.wake(router.index.seen(sighting));
                }
            }
            Ok(Event::InitDone) => {
                router.wake(router.index.served(&kind));
                is_served = true;
                // Names of all Secrets of a cluster are not worth their memory once the index has compared them.
                let listed = std::mem::take(&mut listed);
                router.wake(router.index.listed(&resource.group, &resource.kind, &listed));
                patience.restore();
                first.ended();
            }
            Ok(Event::Apply(object)) => {
                patience.restore();
                if let Some(sighting) = sight(&object) {
                    router.wake(router.index.seen(sighting));
                }
            }
            Ok(Event::Delete(object)) => {
                if let Some(sighting) = sight(&object) {
                    router.wake(router.index.gone(&sighting));
                }
            }
            // Not to be tried again from where it was: the kind may come back with other objects.
            Err(error) if is_unserved(&error) => return Ended::Unserved,
            Err(error) => {
                first.failed();
                let wait = patience.lose(shared, &resource.kind, &error);
                shared.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
            }
        }
    }
}

/// A list of nothing is empty, even in a namespace that does not exist: what is not found is the kind.
pub(crate) fn is_unserved(error: &watcher::Error) -> bool {
    use watcher::Error::{InitialListFailed, WatchStartFailed};
    matches!(
        error,
        InitialListFailed(kube::Error::Api(status)) | WatchStartFailed(kube::Error::Api(status))
            if status.code == 404
    )
}

/// How long a failing watch waits. kube's own backoff is reset by the event that precedes every attempt to list.
#[derive(Debug, Default)]
pub(crate) struct Patience(u32);

impl Patience {
    const LONGEST: Duration = Duration::from_secs(30);

    pub(crate) fn restore(&mut self) {
        self.0 = 0;
    }

    /// Tells that a watch failed, once until it works again, and how long to wait.
    pub(crate) fn lose(&mut self, shared: &Shared, kind: &str, error: &watcher::Error) -> Duration {
        shared.metrics.watch_failed(kind);
        if self.0 == 0 {
            tracing::warn!(kind, %error, "a watch failed, and is opened again until it works");
        } else {
            tracing::debug!(kind, %error, "a watch failed again");
        }
        let most = Duration::from_millis(800).saturating_mul(2_u32.saturating_pow(self.0)).min(Self::LONGEST);
        self.0 = self.0.saturating_add(1).min(16);
        most / 2 + shared.dice.jitter(most / 2)
    }
}

impl Scope {
    /// The API of a kind within this scope.
    pub(crate) fn api<K>(&self, client: &Client, resource: &K::DynamicType) -> Api<K>
    where
        K: Resource<Scope = kube::core::DynamicResourceScope> + Clone + DeserializeOwned + Debug,
    {
        match self {
            Self::Cluster => Api::all_with(client.clone(), resource),
            Self::Namespace(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
        }
    }
}

#[cfg(test)]
mod tests;
