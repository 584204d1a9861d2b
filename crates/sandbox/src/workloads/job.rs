//! Job: pods that end, and whether they succeeded.

use super::template::{self, suffix};
use crate::{
    condition::{Condition, find, now},
    kind::Kind,
    reconcile::Next,
    world::{Seen, World},
    write::{ReconcileError, staying},
};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::json;

pub(crate) async fn reconcile(world: &World, job: &DynamicObject) -> Result<Next, ReconcileError> {
    let status = &job.data["status"];
    let ended = ["Complete", "Failed"].iter().any(|kind| find(&status["conditions"], kind).is_some());
    if ended || job.data["spec"]["suspend"] == true {
        return Ok(Next::Change);
    }
    let spec = &job.data["spec"];
    let parallelism = spec["parallelism"].as_u64().unwrap_or(1);
    let completions = spec["completions"].as_u64().unwrap_or(parallelism.min(1));
    let pods = world.children(job, Kind::Pod);
    let (succeeded, failed) = (count(&pods, "Succeeded"), count(&pods, "Failed"));
    let active = active_among(pods);

    let started = status["startTime"].as_str().map_or_else(now, str::to_owned);
    let allowed = spec["backoffLimit"].as_u64().unwrap_or(6);
    let failure = world.annotated(job).failure;
    if succeeded >= completions {
        let message = "Reached expected number of succeeded pods";
        let ends = ["SuccessCriteriaMet", "Complete"].map(|kind| {
            Condition::new(kind, true, "CompletionsReached", message).after(&status["conditions"])
        });
        let complete = json!({
            "startTime": started, "completionTime": now(), "succeeded": succeeded, "failed": failed,
            "conditions": ends,
        });
        world.set_status(Kind::Job, job, complete).await?;
        return Ok(Next::Change);
    }
    if failed > 0 && (failure.is_some() || failed > allowed) {
        let message = failure.unwrap_or_else(|| "Job has reached the specified backoff limit".to_owned());
        let ends = ["FailureTarget", "Failed"].map(|kind| {
            Condition::new(kind, true, "BackoffLimitExceeded", &message).after(&status["conditions"])
        });
        let failed =
            json!({"startTime": started, "succeeded": succeeded, "failed": failed, "conditions": ends});
        world.set_status(Kind::Job, job, failed).await?;
        return Ok(Next::Change);
    }
    for _ in active..parallelism.min(completions - succeeded) {
        let name = format!("{}-{}", job.name_any(), suffix());
        let pod = template::pod(Kind::Job, job, &name, &spec["template"], json!({}));
        world.create(Kind::Pod, pod).await?;
    }
    let active = active_among(world.children(job, Kind::Pod));
    let running = json!({
        "startTime": started, "active": active, "succeeded": succeeded, "failed": failed,
        "terminating": 0, "ready": 0,
    });
    world.set_status(Kind::Job, job, running).await?;
    Ok(Next::Change)
}

fn count(pods: &[Seen], phase: &str) -> u64 {
    pods.iter().filter(|pod| pod.data["status"]["phase"] == *phase).count() as u64
}

fn active_among(pods: Vec<Seen>) -> u64 {
    let ended =
        |pod: &Seen| ["Succeeded", "Failed"].iter().any(|phase| pod.data["status"]["phase"] == *phase);
    staying(pods).iter().filter(|pod| !ended(pod)).count() as u64
}
