//! The kubelet: starts pods, ends deleted pods, and reports why a pod does not start.

use super::{
    kubelet::{self, PodState},
    needs::{Missing, missing},
    warning::Warning,
};
use crate::{kind::Kind, reconcile::Next, world::World, write::ReconcileError};
use apiserver::LOG_ANNOTATIONS;
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Map, Value, json};
use std::{collections::HashSet, net::Ipv4Addr};

pub(crate) async fn reconcile(world: &World, pod: &DynamicObject) -> Result<Next, ReconcileError> {
    if pod.metadata.deletion_timestamp.is_some() {
        // A pod with finalizers stays until they are removed.
        if pod.metadata.deletion_grace_period_seconds != Some(0) || pod.finalizers().is_empty() {
            world.delete(Kind::Pod, pod, true).await?;
        }
        return Ok(Next::Change);
    }
    if ["Succeeded", "Failed"].iter().any(|phase| pod.data["status"]["phase"] == *phase) {
        return Ok(Next::Change);
    }
    let annotated = world.annotated(pod);
    let started = pod.data["status"]["phase"] == "Running";
    let lasting = pod.data["spec"]["restartPolicy"].as_str().is_none_or(|policy| policy == "Always");
    let mut next = Next::Change;
    let pod_state = match (annotated.failure, missing(world, pod)) {
        // A kubelet pulls the image before it looks at the environment.
        (Some(message), Some(Missing::Environment(_))) if !started => PodState::NotPulled(message),
        (_, Some(missing)) if !started => PodState::Missing(missing),
        (Some(message), _) if !lasting => PodState::Failed(message),
        (Some(message), _) if started => PodState::Crashing(message),
        (Some(message), _) => PodState::NotPulled(message),
        (None, _) if started && lasting => PodState::Running,
        (None, _) => match world.remaining(pod, "start", annotated.delay) {
            Some(left) => {
                next = Next::After(left);
                if lasting { PodState::Starting } else { PodState::Running }
            }
            None if lasting => PodState::Running,
            None => PodState::Succeeded,
        },
    };
    write_logs(world, pod, &pod_state).await?;
    let status = kubelet::status(pod, &pod_state, world.now(), || address(world, pod));
    let warning =
        Warning::of(&status).filter(|warning| Warning::of(&pod.data["status"]).as_ref() != Some(warning));
    world.set_status(Kind::Pod, pod, status).await?;
    if let Some(warning) = warning {
        warning.write(world, pod).await?;
    }
    Ok(next)
}

/// Writes the logs to where the API server in memory, which cannot ask a kubelet, finds them.
async fn write_logs(world: &World, pod: &DynamicObject, pod_state: &PodState) -> Result<(), ReconcileError> {
    let logs =
        kubelet::logs(pod, pod_state).map(|(name, log)| (format!("{LOG_ANNOTATIONS}{name}"), log.into()));
    let annotations: Map<String, Value> = logs.collect();
    if annotations.is_empty() {
        return Ok(());
    }
    world.amend(Kind::Pod, pod, json!({"metadata": {"annotations": annotations}})).await
}

/// An address of the pod network that no pod has.
fn address(world: &World, pod: &DynamicObject) -> String {
    if let Some(address) = pod.data["status"]["podIP"].as_str() {
        return address.to_owned();
    }
    let taken: HashSet<String> = world
        .everywhere(Kind::Pod)
        .iter()
        .filter_map(|pod| pod.data["status"]["podIP"].as_str().map(str::to_owned))
        .collect();
    world.address_for(pod, Ipv4Addr::new(10, 244, 0, 2), &taken)
}
