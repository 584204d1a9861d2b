//! The status of a Deployment.

use super::{
    deployment::count,
    rollout::{Count, Strategy},
};
use crate::{
    condition::{Condition, find, with, written},
    world::Seen,
};
use jiff::Timestamp;
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};
use std::time::Duration;

/// The progress of a rollout.
pub(super) struct Progress<'a> {
    pub new: Option<&'a Seen>,
    pub old: &'a [Seen],
    pub failure: Option<String>,
}

/// The status, and the time until the progress deadline.
pub(super) fn status(
    deployment: &DynamicObject,
    progress: &Progress<'_>,
    now: Timestamp,
) -> (Value, Option<Duration>) {
    let spec = &deployment.data["spec"];
    let before = &deployment.data["status"];
    let replicas = spec["replicas"].as_i64().unwrap_or(1);
    let updated = progress.new.map(|set| count(set)).unwrap_or_default();
    let all = progress.old.iter().map(|set| count(set)).fold(updated, |sum, each| Count {
        wanted: sum.wanted + each.wanted,
        present: sum.present + each.present,
        available: sum.available + each.available,
    });
    let numbers = json!({
        "observedGeneration": deployment.metadata.generation,
        "replicas": all.present,
        "updatedReplicas": updated.present,
        "readyReplicas": all.available,
        "availableReplicas": all.available,
        "unavailableReplicas": (all.wanted.max(replicas) - all.available).max(0),
    });

    let tolerated = match Strategy::of(spec, replicas) {
        Strategy::Recreate => replicas,
        Strategy::Rolling { unavailable, .. } => unavailable,
    };
    let available = if all.available >= replicas - tolerated {
        Condition::new("Available", true, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        let message = "Deployment does not have minimum availability.";
        Condition::new("Available", false, "MinimumReplicasUnavailable", message)
    };
    let complete = updated.present == replicas && all.present == replicas && updated.available == replicas;
    let moved = ["replicas", "updatedReplicas", "readyReplicas", "observedGeneration"]
        .iter()
        .any(|field| before[*field].as_i64().unwrap_or(0) != numbers[*field].as_i64().unwrap_or(0));
    let (progressing, deadline) = progressing(deployment, progress, complete, moved, now);
    let conditions = json!([dated(available.after(&before["conditions"], now), before, now), progressing]);
    (with(numbers, "conditions", conditions), deadline)
}

fn progressing(
    deployment: &DynamicObject,
    progress: &Progress<'_>,
    complete: bool,
    moved: bool,
    now: Timestamp,
) -> (Value, Option<Duration>) {
    let before = &deployment.data["status"];
    let set = progress.new.map(|set| set.name_any()).unwrap_or_default();
    let write = |condition: Condition<'_>| dated(condition.after(&before["conditions"], now), before, now);
    if deployment.data["spec"]["paused"] == true {
        let condition = Condition {
            kind: "Progressing",
            status: "Unknown",
            reason: "DeploymentPaused",
            message: "Deployment is paused",
        };
        return (write(condition), None);
    }
    // The other lines are in the logs of the pods.
    if let Some(failure) = progress.failure.as_ref().map(|failure| failure.lines().next().unwrap_or_default())
    {
        let message = format!("ReplicaSet {set:?} has timed out progressing: {failure}");
        return (write(Condition::new("Progressing", false, "ProgressDeadlineExceeded", &message)), None);
    }
    if complete {
        let message = format!("ReplicaSet {set:?} has successfully progressed.");
        return (write(Condition::new("Progressing", true, "NewReplicaSetAvailable", &message)), None);
    }
    let exceeded = timed_out(&set);
    let timeout = Condition::new("Progressing", false, "ProgressDeadlineExceeded", &exceeded);
    let last = find(&before["conditions"], "Progressing").filter(|_| !moved);
    if last.is_some_and(|last| last["message"] == *exceeded) {
        return (write(timeout), None);
    }
    let limit =
        Duration::from_secs(deployment.data["spec"]["progressDeadlineSeconds"].as_u64().unwrap_or(600));
    let left = last
        .filter(|last| last["reason"] == "ReplicaSetUpdated")
        .and_then(|last| last["lastUpdateTime"].as_str()?.parse::<Timestamp>().ok())
        .map_or(limit, |since| {
            limit.saturating_sub(now.duration_since(since).try_into().unwrap_or_default())
        });
    if left.is_zero() {
        return (write(timeout), None);
    }
    let message = format!("ReplicaSet {set:?} is progressing.");
    let condition = write(Condition::new("Progressing", true, "ReplicaSetUpdated", &message));
    (if moved { with(condition, "lastUpdateTime", written(now)) } else { condition }, Some(left))
}

fn timed_out(set: &str) -> String {
    format!("ReplicaSet {set:?} has timed out progressing.")
}

/// Adds `lastUpdateTime`, which the conditions of a Deployment have.
fn dated(condition: Value, before: &Value, now: Timestamp) -> Value {
    let previous = condition["type"].as_str().and_then(|kind| find(&before["conditions"], kind));
    let same = previous.filter(|previous| {
        ["status", "reason", "message"].iter().all(|field| previous[*field] == condition[*field])
    });
    let since = same.and_then(|same| same["lastUpdateTime"].as_str());
    with(condition, "lastUpdateTime", since.map_or_else(|| written(now), str::to_owned))
}
