//! The objects that have components, as their watches show them.

use crate::{
    Scope, Sighting,
    health::FirstList,
    shared::Shared,
    watch::{Patience, is_unserved, paged},
};
use futures::StreamExt as _;
use kube::{
    Api,
    core::DynamicObject,
    runtime::watcher::{Event, watcher},
};
use plan::{ChildKind, Health, ObjectKey, Readiness};
use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// All of them, and how each says it is.
#[derive(Default)]
pub(super) struct Owners(Mutex<BTreeMap<ObjectKey, (Arc<DynamicObject>, Readiness)>>);

impl Owners {
    pub(super) fn all(&self) -> BTreeMap<ObjectKey, Arc<DynamicObject>> {
        self.objects().iter().map(|(key, (object, _))| (key.clone(), Arc::clone(object))).collect()
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<Arc<DynamicObject>> {
        self.objects().get(key).map(|(object, _)| Arc::clone(object))
    }

    pub(super) fn readiness(&self, key: &ObjectKey) -> Option<Readiness> {
        self.objects().get(key).map(|(_, readiness)| readiness.clone())
    }

    pub(super) fn put(&self, key: &ObjectKey, mut object: DynamicObject, readiness: Readiness) {
        object.metadata.managed_fields = None;
        self.objects().insert(key.clone(), (Arc::new(object), readiness));
    }

    fn remove(&self, key: &ObjectKey) {
        self.objects().remove(key);
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, (Arc<DynamicObject>, Readiness)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches one kind of them; every change is a reason to look at the object itself, too.
pub(super) async fn watch(
    shared: Arc<Shared>,
    kind: ChildKind,
    scope: Scope,
    owners: Arc<Owners>,
    first: FirstList,
) {
    let resource = &kind.resource;
    let api: Api<DynamicObject> = scope.api(&shared.client, resource);
    let (router, index) = (&shared.router, &shared.router.index);
    let seen = |object: DynamicObject| {
        let health = serde_json::to_value(&object).and_then(kind.health);
        let health = health.unwrap_or_else(|_| Health::undecodable());
        let readiness = health.readiness.clone();
        let sighting = Sighting::of(resource, &object.metadata, health, &shared.predecessors)?;
        let key = sighting.key.clone();
        router.wake(index.seen(sighting));
        owners.put(&key, object, readiness);
        router.wake([key.clone()].into());
        Some(key)
    };
    let gone = |key: &ObjectKey| {
        owners.remove(key);
        router.wake([key.clone()].into());
    };
    let mut listed = BTreeSet::new();
    let mut patience = Patience::default();
    let mut events = pin!(watcher(api, paged()));
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Init) => listed.clear(),
            Ok(Event::InitApply(object)) => listed.extend(seen(object)),
            Ok(Event::InitDone) => {
                router.wake(index.listed(&resource.group, &resource.kind, &listed));
                let of_kind = |key: &ObjectKey| key.group == resource.group && key.kind == resource.kind;
                let known: Vec<_> = owners.objects().keys().filter(|key| of_kind(key)).cloned().collect();
                known.iter().filter(|key| !listed.contains(*key)).for_each(&gone);
                patience.restore();
                first.ended();
            }
            Ok(Event::Apply(object)) => {
                patience.restore();
                seen(object);
            }
            Ok(Event::Delete(object)) => {
                let sighting = Sighting::of(resource, &object.metadata, Health::READY, &shared.predecessors);
                if let Some(sighting) = sighting {
                    router.wake(index.gone(&sighting));
                    gone(&sighting.key);
                }
            }
            Err(error) => {
                if is_unserved(&error) {
                    index.unserved(&ObjectKey::dynamic(resource, "", ""));
                    first.ended();
                }
                first.failed();
                tokio::time::sleep(patience.lose(&shared, &resource.kind, &error)).await;
            }
        }
    }
}
