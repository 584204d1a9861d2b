//! Job: pods that end, how often they are tried, and whether they succeeded in time.

use super::template::{self, suffix};
use crate::{
    condition::{Condition, find, written},
    kind::Kind,
    reconcile::Next,
    world::{Seen, World},
    write::{ReconcileError, staying},
};
use jiff::Timestamp;
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the Job controller waits after the first failed pod. It doubles with every further one.
const FIRST_BACKOFF: Duration = Duration::from_secs(10);
/// The longest time that it waits.
const LONGEST_BACKOFF: Duration = Duration::from_mins(6);

pub(crate) async fn reconcile(world: &World, job: &DynamicObject) -> Result<Next, ReconcileError> {
    let (spec, status, now) = (&job.data["spec"], &job.data["status"], world.now());
    let ended = ["Complete", "Failed"].iter().any(|kind| find(&status["conditions"], kind).is_some());
    if ended || spec["suspend"] == true {
        return Ok(Next::Change);
    }
    let parallelism = spec["parallelism"].as_u64().unwrap_or(1);
    let completions = spec["completions"].as_u64().unwrap_or(parallelism.min(1));
    let pods = world.children(job, Kind::Pod);
    let (succeeded, failed) = (count(&pods, "Succeeded"), count(&pods, "Failed"));
    if succeeded >= completions {
        let ends = ended_as(status, ["SuccessCriteriaMet", "Complete"], COMPLETED, now);
        let complete = json!({
            "startTime": started(status, now), "completionTime": written(now), "succeeded": succeeded, "failed": failed,
            "conditions": ends,
        });
        world.set_status(Kind::Job, job, complete).await?;
        return Ok(Next::Change);
    }
    let deadline = spec["activeDeadlineSeconds"].as_u64().map(Duration::from_secs);
    let left = deadline.map(|deadline| world.remaining(job, "deadline", deadline));
    let active = active_among(pods);
    let failure = match left {
        Some(None) => Some(EXCEEDED),
        _ if failed > spec["backoffLimit"].as_u64().unwrap_or(6) => Some(GIVEN_UP),
        _ => None,
    };
    if let Some(why) = failure {
        for pod in &active {
            world.delete(Kind::Pod, pod, false).await?;
        }
        let ends = ended_as(status, ["FailureTarget", "Failed"], why, now);
        let failed = json!({
            "startTime": started(status, now), "succeeded": succeeded, "failed": failed, "conditions": ends,
        });
        world.set_status(Kind::Job, job, failed).await?;
        return Ok(Next::Change);
    }
    let backoff = world.remaining(job, &format!("backoff {failed}"), backoff(failed));
    if backoff.is_none() {
        for _ in active.len() as u64..parallelism.min(completions - succeeded) {
            let name = format!("{}-{}", job.name_any(), suffix());
            let pod = template::pod(Kind::Job, job, &name, &spec["template"], json!({}));
            world.create(Kind::Pod, pod).await?;
        }
    }
    let active = active_among(world.children(job, Kind::Pod));
    let ready = active.iter().filter(|pod| template::is_ready(pod)).count();
    let running = json!({
        "startTime": started(status, now), "active": active.len(), "succeeded": succeeded, "failed": failed,
        "terminating": 0, "ready": ready,
    });
    world.set_status(Kind::Job, job, running).await?;
    let next = [backoff, left.flatten()].into_iter().flatten().min();
    Ok(next.map_or(Next::Change, Next::After))
}

/// A reason and a message.
type Why = (&'static str, &'static str);

const COMPLETED: Why = ("CompletionsReached", "Reached expected number of succeeded pods");
const GIVEN_UP: Why = ("BackoffLimitExceeded", "Job has reached the specified backoff limit");
const EXCEEDED: Why = ("DeadlineExceeded", "Job was active longer than specified deadline");

fn ended_as(status: &Value, kinds: [&str; 2], (reason, message): Why, now: Timestamp) -> [Value; 2] {
    kinds.map(|kind| Condition::new(kind, true, reason, message).after(&status["conditions"], now))
}

fn started(status: &Value, now: Timestamp) -> String {
    status["startTime"].as_str().map_or_else(|| written(now), str::to_owned)
}

fn backoff(failed: u64) -> Duration {
    match failed.checked_sub(1) {
        None => Duration::ZERO,
        Some(before) => FIRST_BACKOFF.saturating_mul(1 << before.min(16)).min(LONGEST_BACKOFF),
    }
}

fn count(pods: &[Seen], phase: &str) -> u64 {
    pods.iter().filter(|pod| pod.data["status"]["phase"] == *phase).count() as u64
}

fn active_among(pods: Vec<Seen>) -> Vec<Seen> {
    let ended =
        |pod: &Seen| ["Succeeded", "Failed"].iter().any(|phase| pod.data["status"]["phase"] == *phase);
    staying(pods).into_iter().filter(|pod| !ended(pod)).collect()
}
