//! Whether what was applied is ready, as its own status says.

use crate::{manifests::Applied, tree::Live};
use api::{
    thirdparty::cert_manager::{Certificate, Issuer},
    v1beta1::{
        ChartMuseum, Core, Exporter, Harbor, JobService, NotaryServer, NotarySigner, Portal, Registry, Trivy,
    },
};
use futures::{StreamExt as _, stream};
use k8s_openapi::api::{
    apps::v1::{Deployment, StatefulSet},
    batch::v1::Job,
    core::v1::PersistentVolumeClaim,
};
use kube::{
    core::DynamicObject,
    runtime::{WatchStreamExt as _, watcher},
};
use plan::{ChildKind, Children, Health, ObjectKey, Observe, Readiness};
use serde_json::Value;
use std::{convert::Infallible, future::pending};

/// The API group of our own kinds.
const GROUP: &str = "goharbor.io";

/// How objects of one kind tell whether they are ready.
type Judge = fn(Value) -> serde_json::Result<Health>;

/// Shows how the applied objects are, from now on. Kinds that are ready by existing are not worth showing.
pub fn follow(applied: Vec<Applied>, live: &Live) -> impl Future<Output = Infallible> {
    let kinds = kinds();
    let followed = applied.into_iter().filter_map(|applied| {
        let judge = judge(&kinds, &applied.key)?;
        live.expect(&applied.key);
        let Applied { key, api, .. } = applied;
        let states = watcher::watch_object(api, &key.name).default_backoff();
        Some(Box::pin(states.map(move |state| (key.clone(), judge, state))))
    });
    let mut states = stream::select_all(followed);
    async move {
        while let Some((key, judge, state)) = states.next().await {
            match state {
                Ok(object) => live.read_status(&key, &readiness(judge, object)),
                Err(error) => tracing::warn!(object = %key, %error, "a watch failed"),
            }
        }
        // There is nothing to follow.
        pending().await
    }
}

fn readiness(judge: Judge, object: Option<DynamicObject>) -> Readiness {
    let Some(object) = object else { return Readiness::Progressing("does not exist".into()) };
    let judged = serde_json::to_value(object).and_then(judge);
    judged.map_or_else(|_| Readiness::Failed("its status cannot be read".into()), |health| health.readiness)
}

/// The kinds that have a status to be read.
fn kinds() -> Vec<ChildKind> {
    let ours = Children::none()
        .and::<ChartMuseum>()
        .and::<Core>()
        .and::<Exporter>()
        .and::<Harbor>()
        .and::<JobService>()
        .and::<NotaryServer>()
        .and::<NotarySigner>()
        .and::<Portal>()
        .and::<Registry>()
        .and::<Trivy>();
    let mut all = Children::none()
        .and::<Certificate>()
        .and::<Deployment>()
        .and::<Issuer>()
        .and::<Job>()
        .and::<PersistentVolumeClaim>()
        .and::<StatefulSet>();
    all.extend(ours);
    all.iter().filter(|kind| kind.observe == Observe::Status).cloned().collect()
}

/// How to tell whether an object is ready; nothing where it is by existing.
fn judge(kinds: &[ChildKind], key: &ObjectKey) -> Option<Judge> {
    let known = kinds.iter().find(|kind| kind.resource.group == key.group && kind.resource.kind == key.kind);
    match known {
        Some(kind) => Some(kind.health),
        None if key.group == GROUP => Some(Health::by_conditions),
        None => None,
    }
}
