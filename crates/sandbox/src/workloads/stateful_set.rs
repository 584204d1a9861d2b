//! StatefulSet: numbered pods with their own claims, one after the other.

use super::template::{self, hash, is_ready};
use crate::{
    kind::Kind,
    reconcile::Next,
    world::{Seen, World},
    write::{ReconcileError, staying},
};
use api::names::{CONTROLLER_REVISION_LABEL as REVISION, POD_INDEX_LABEL, STATEFUL_SET_POD_NAME_LABEL};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

pub(crate) async fn reconcile(world: &World, set: &DynamicObject) -> Result<Next, ReconcileError> {
    let spec = &set.data["spec"];
    let replicas = spec["replicas"].as_i64().unwrap_or(1).max(0);
    let first = spec["ordinals"]["start"].as_i64().unwrap_or(0);
    let parallel = spec["podManagementPolicy"] == "Parallel";
    let update = format!("{}-{}", set.name_any(), hash(&spec["template"]));
    let pods = world.children(set, Kind::Pod);
    let find = |ordinal: i64| pods.iter().find(|pod| ordinal_of(pod) == Some(ordinal));

    for ordinal in first..first + replicas {
        match find(ordinal) {
            None => create(world, set, ordinal, &update).await?,
            Some(pod) if pod.data["status"]["phase"] == "Failed" => {
                world.delete(Kind::Pod, pod, false).await?;
            }
            Some(_) => {}
        }
        if !parallel && !find(ordinal).is_some_and(|pod| is_serving(pod)) {
            break;
        }
    }
    let mut surplus: Vec<&Seen> = pods
        .iter()
        .filter(|pod| !ordinal_of(pod).is_some_and(|at| (first..first + replicas).contains(&at)))
        .collect();
    surplus.sort_by_key(|pod| ordinal_of(pod));
    for pod in surplus.iter().rev().take(if parallel { usize::MAX } else { 1 }) {
        if pod.metadata.deletion_timestamp.is_none() {
            world.delete(Kind::Pod, pod, false).await?;
        }
    }
    if surplus.is_empty() {
        roll(world, spec, &pods, &update).await?;
    }

    let status = status(set, &world.children(set, Kind::Pod), &update, replicas);
    world.set_status(Kind::StatefulSet, set, status).await?;
    Ok(Next::Change)
}

/// Replaces the last pod of an old template, once all pods after it are ready.
async fn roll(world: &World, spec: &Value, pods: &[Seen], update: &str) -> Result<(), ReconcileError> {
    let strategy = &spec["updateStrategy"];
    if strategy["type"] == "OnDelete" {
        return Ok(());
    }
    let partition = strategy["rollingUpdate"]["partition"].as_i64().unwrap_or(0);
    let mut pods: Vec<&Seen> = pods.iter().filter(|pod| ordinal_of(pod) >= Some(partition)).collect();
    pods.sort_by_key(|pod| ordinal_of(pod));
    for pod in pods.into_iter().rev() {
        if pod.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        if pod.labels().get(REVISION).is_none_or(|revision| revision != update) {
            return world.delete(Kind::Pod, pod, false).await;
        }
        if !is_ready(pod) {
            return Ok(());
        }
    }
    Ok(())
}

async fn create(
    world: &World,
    set: &DynamicObject,
    ordinal: i64,
    revision: &str,
) -> Result<(), ReconcileError> {
    let spec = &set.data["spec"];
    let name = format!("{}-{ordinal}", set.name_any());
    let labels = json!({
        REVISION: revision,
        STATEFUL_SET_POD_NAME_LABEL: name,
        POD_INDEX_LABEL: ordinal.to_string(),
    });
    let mut pod = template::pod(Kind::StatefulSet, set, &name, &spec["template"], labels);
    let mut volumes = spec["template"]["spec"]["volumes"].as_array().cloned().unwrap_or_default();
    for claim in spec["volumeClaimTemplates"].as_array().into_iter().flatten() {
        let template = claim["metadata"]["name"].as_str().unwrap_or_default();
        let claim_name = format!("{template}-{name}");
        volumes.retain(|volume| volume["name"] != template);
        volumes.push(json!({"name": template, "persistentVolumeClaim": {"claimName": claim_name}}));
        let mut labels = claim["metadata"]["labels"].as_object().cloned().unwrap_or_default();
        labels.extend(spec["selector"]["matchLabels"].as_object().cloned().unwrap_or_default());
        let wanted = json!({
            "metadata": {
                "name": claim_name,
                "namespace": set.namespace(),
                "labels": labels,
                "annotations": claim["metadata"]["annotations"],
            },
            "spec": claim["spec"],
        });
        world.create(Kind::PersistentVolumeClaim, wanted).await?;
    }
    pod["spec"]["volumes"] = volumes.into();
    pod["spec"]["hostname"] = name.into();
    pod["spec"]["subdomain"] = spec["serviceName"].clone();
    world.create(Kind::Pod, pod).await
}

fn status(set: &DynamicObject, pods: &[Seen], update: &str, replicas: i64) -> Value {
    let before = &set.data["status"];
    let pods = staying(pods.to_vec());
    let ready = pods.iter().filter(|pod| is_serving(pod)).count();
    let is_updated = |pod: &&Seen| pod.labels().get(REVISION).is_some_and(|revision| revision == update);
    let updated = pods.iter().filter(is_updated).count();
    let done = usize::try_from(replicas).is_ok_and(|wanted| updated == wanted && ready == wanted)
        && updated == pods.len();
    let current = before["currentRevision"].as_str().filter(|_| !done).unwrap_or(update);
    let is_current = |pod: &&Seen| pod.labels().get(REVISION).is_some_and(|revision| revision == current);
    json!({
        "observedGeneration": set.metadata.generation,
        "replicas": pods.len(),
        "readyReplicas": ready,
        "availableReplicas": ready,
        "currentReplicas": pods.iter().filter(is_current).count(),
        "updatedReplicas": updated,
        "currentRevision": current,
        "updateRevision": update,
        "collisionCount": before["collisionCount"],
    })
}

fn is_serving(pod: &DynamicObject) -> bool {
    is_ready(pod) && pod.metadata.deletion_timestamp.is_none()
}

fn ordinal_of(pod: &DynamicObject) -> Option<i64> {
    pod.metadata.name.as_ref()?.rsplit_once('-')?.1.parse().ok()
}
