//! Deployment: one ReplicaSet for each template, and the rollout from one to the next.

use super::{
    deployment_status::{self, Progress},
    rollout::{Count, Strategy},
    template::hash,
};
use crate::{
    kind::Kind,
    reconcile::Next,
    world::{Seen, World},
    write::{ReconcileError, owned_by, staying},
};
use api::names::{DEPLOYMENT_REVISION_ANNOTATION as REVISION, POD_TEMPLATE_HASH_LABEL as HASH};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

pub(crate) async fn reconcile(world: &World, deployment: &DynamicObject) -> Result<Next, ReconcileError> {
    let spec = &deployment.data["spec"];
    let replicas = spec["replicas"].as_i64().unwrap_or(1);
    let paused = spec["paused"] == true;
    let wanted = hash(&spec["template"]);
    let mut old = staying(world.children(deployment, Kind::ReplicaSet));
    old.sort_by_key(|set| revision(set));
    let new = old.iter().position(|set| set.labels().get(HASH) == Some(&wanted)).map(|at| old.remove(at));

    if new.is_some() || paused {
        let (up, down) = match &new {
            Some(new) if !paused => {
                adopt_revision(world, deployment, new, &old).await?;
                let counts: Vec<Count> = old.iter().map(|set| count(set)).collect();
                Strategy::of(spec, replicas).next(replicas, count(new), &counts)
            }
            new => scaled(replicas, new.as_deref(), &old),
        };
        if let Some(new) = &new {
            scale(world, new, up).await?;
        }
        for (set, wanted) in old.iter().zip(down) {
            scale(world, set, wanted).await?;
        }
        forget_history(world, spec, &old).await?;
    } else {
        let next = old.last().map_or(0, |set| revision(set)) + 1;
        world.create(Kind::ReplicaSet, replica_set(deployment, &wanted, next)).await?;
        return Ok(Next::Change);
    }

    let progress = Progress { new: new.as_ref(), old: &old, failure: world.annotated(deployment).failure };
    let (status, deadline) = deployment_status::status(deployment, &progress, world.now());
    world.set_status(Kind::Deployment, deployment, status).await?;
    Ok(deadline.map_or(Next::Change, Next::After))
}

fn replica_set(deployment: &DynamicObject, hash: &str, revision: i64) -> Value {
    let spec = &deployment.data["spec"];
    let mut template = spec["template"].clone();
    template["metadata"]["labels"][HASH] = hash.into();
    let mut selector = spec["selector"].clone();
    selector["matchLabels"][HASH] = hash.into();
    json!({
        "metadata": {
            "name": format!("{}-{hash}", deployment.name_any()),
            "namespace": deployment.namespace(),
            "labels": template["metadata"]["labels"],
            "annotations": {REVISION: revision.to_string()},
            "ownerReferences": owned_by(Kind::Deployment, deployment),
        },
        "spec": {
            "replicas": 0,
            "minReadySeconds": spec["minReadySeconds"],
            "selector": selector,
            "template": template,
        },
    })
}

/// Sets the revision. An old template that is used again becomes the newest revision.
async fn adopt_revision(
    world: &World,
    deployment: &DynamicObject,
    new: &DynamicObject,
    old: &[Seen],
) -> Result<(), ReconcileError> {
    let newest = old.iter().map(|set| revision(set)).max().unwrap_or(0);
    let number = if revision(new) > newest { revision(new) } else { newest + 1 };
    let annotated = json!({"metadata": {"annotations": {REVISION: number.to_string()}}});
    world.amend(Kind::ReplicaSet, new, annotated.clone()).await?;
    world.amend_through_status(Kind::Deployment, deployment, annotated).await
}

async fn scale(world: &World, set: &DynamicObject, replicas: i64) -> Result<(), ReconcileError> {
    world.amend(Kind::ReplicaSet, set, json!({"spec": {"replicas": replicas}})).await
}

/// While paused, a Deployment scales its newest template and does not continue its rollout.
fn scaled(replicas: i64, new: Option<&DynamicObject>, old: &[Seen]) -> (i64, Vec<i64>) {
    let mut down: Vec<i64> = old.iter().map(|set| count(set).wanted).collect();
    let others: i64 = down.iter().sum();
    if new.is_none()
        && let Some(newest) = down.last_mut()
    {
        *newest = (replicas - (others - *newest)).max(0);
    }
    ((replicas - others).max(0), down)
}

async fn forget_history(world: &World, spec: &Value, old: &[Seen]) -> Result<(), ReconcileError> {
    let limit =
        spec["revisionHistoryLimit"].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(10);
    let idle: Vec<&Seen> = old.iter().filter(|set| count(set) == Count::default()).collect();
    for set in idle.iter().take(idle.len().saturating_sub(limit)) {
        world.delete(Kind::ReplicaSet, set, false).await?;
    }
    Ok(())
}

pub(super) fn count(set: &DynamicObject) -> Count {
    let number = |part: &str, field: &str| set.data[part][field].as_i64().unwrap_or(0);
    Count {
        wanted: number("spec", "replicas"),
        present: number("status", "replicas"),
        available: number("status", "availableReplicas"),
    }
}

fn revision(set: &DynamicObject) -> i64 {
    set.annotations().get(REVISION).and_then(|text| text.parse().ok()).unwrap_or(0)
}
