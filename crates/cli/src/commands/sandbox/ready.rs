//! The readiness of applied objects, according to their own status.

use crate::{
    manifests::Applied,
    operator::{GROUP, component},
    tree::Live,
};
use futures::{StreamExt as _, stream};
use k8s_openapi::api::batch::v1::Job;
use kube::{
    core::DynamicObject,
    runtime::{WatchStreamExt as _, watcher},
};
use plan::{Children, ComponentKind, Health, ObjectKey, Observe, Readiness};
use serde_json::Value;
use std::{convert::Infallible, future::pending};

/// Reads the health of an object of one kind.
type HealthFn = fn(Value) -> serde_json::Result<Health>;

/// Shows the readiness of the applied objects from now on. Kinds whose objects are ready when they exist are not shown.
pub fn follow(applied: Vec<Applied>, live: &Live) -> impl Future<Output = Infallible> {
    let kinds = Kinds::new();
    let followed = applied.into_iter().filter_map(|applied| {
        let health = kinds.health_fn(&applied.key)?;
        live.expect(&applied.key);
        let Applied { key, api, .. } = applied;
        let states = watcher::watch_object(api, &key.name).default_backoff();
        Some(Box::pin(states.map(move |state| (key.clone(), health, state))))
    });
    let mut states = stream::select_all(followed);
    async move {
        while let Some((key, health, state)) = states.next().await {
            match state {
                Ok(object) => live.read_status(&key, &readiness(health, object)),
                Err(error) => tracing::warn!(object = %key, %error, "a watch failed"),
            }
        }
        // There is no object to follow.
        pending().await
    }
}

fn readiness(health: HealthFn, object: Option<DynamicObject>) -> Readiness {
    let Some(object) = object else { return Readiness::Progressing("does not exist".into()) };
    let read = serde_json::to_value(object).and_then(health);
    read.map_or_else(|_| Readiness::Failed("its status cannot be read".into()), |health| health.readiness)
}

/// The kinds whose readiness can be read.
struct Kinds {
    components: Vec<ComponentKind>,
    /// Kinds of their children, and Jobs, which users apply beside them.
    others: Children,
}

impl Kinds {
    fn new() -> Self {
        let components = components::all();
        let mut others = Children::none().and::<Job>();
        for component in &components {
            others.extend(component.children.clone());
        }
        Self { components, others }
    }

    /// How to read the health of an object; `None` if it is ready when it exists.
    fn health_fn(&self, key: &ObjectKey) -> Option<HealthFn> {
        if let Some(component) = component(&self.components, key) {
            return Some(component.kind.health);
        }
        if key.group == GROUP {
            return Some(Health::by_conditions);
        }
        let is_its_kind = |group: &str, kind: &str| group == key.group && kind == key.kind;
        let kind = self.others.iter().find(|kind| is_its_kind(&kind.resource.group, &kind.resource.kind))?;
        (kind.observe == Observe::Status).then_some(kind.health)
    }
}
