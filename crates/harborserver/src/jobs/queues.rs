//! The job service: its workers, and the queues in which jobs wait.

use super::Status;
use crate::{
    call::Call,
    clock::whole_seconds,
    failure::Failure,
    rest::{Reply, Route, Shown, go_struct},
    system::{Broken, Component},
    version::{Change, Version},
};
use serde_json::{Value, json};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/jobservice/pools", pools).since(7),
    Route::get("/jobservice/pools/{pool_id}/workers", workers).since(7),
    Route::get("/jobservice/queues", list).since(7),
    Route::put("/jobservice/queues/{job_type}", act).since(7),
    Route::put("/jobservice/jobs/{job_id}", stop_job).since(7),
];

const RESOURCE: &str = "jobservice-monitor";
const POOL: &str = "000000000000000000000001";
const WORKERS: u32 = 10;

go_struct! {
    QueueAction = "ActionRequest" { action: Option<String> }
    rules = |wanted| {
        let known = wanted.action.as_deref().is_none_or(|action| ["stop", "pause", "resume"].contains(&action));
        (!known).then(|| "action in body should be one of [stop pause resume]".to_owned()).into_iter().collect()
    }
}

/// The job types of a version, sorted.
fn job_types(version: Version) -> impl Iterator<Item = &'static str> {
    let types = [
        ("AUDIT_LOGS_GDPR_COMPLIANT", Some(Change::GdprJobs)),
        ("EXECUTION_SWEEP", Some(Change::SweepsExecutions)),
        ("GARBAGE_COLLECTION", None),
        ("IMAGE_SCAN", None),
        ("P2P_PREHEAT", None),
        ("PURGE_AUDIT_LOG", None),
        ("REPLICATION", None),
        ("RETENTION", None),
        ("SCAN_DATA_EXPORT", None),
        ("SCHEDULER", None),
        ("SLACK", None),
        ("SYSTEM_ARTIFACT_CLEANUP", None),
        ("WEBHOOK", None),
    ];
    let served = move |(_, since): &(&str, Option<Change>)| since.is_none_or(|since| version.has(since));
    types.into_iter().filter(served).map(|(name, _)| name)
}

/// Core asks the job service for its Redis, and fails where it gets no answer.
fn reach(call: &Call<'_>) -> Result<(), Failure> {
    if call.runtime.unhealthy.contains(&Component::Jobservice) { Err(Failure::internal()) } else { Ok(()) }
}

fn pools(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "list")?;
    reach(call)?;
    if call.runtime.broken.contains(&Broken::Workers) {
        return Ok(Reply::json(json!([])));
    }
    Ok(Reply::json(json!([{
        "worker_pool_id": POOL,
        "pid": 1,
        "concurrency": 10,
        "start_at": whole_seconds(call.now),
        "heartbeat_at": whole_seconds(call.now),
    }])))
}

fn workers(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "list")?;
    reach(call)?;
    let jobs = &call.data.jobs;
    let at_work = jobs.executions.iter().filter(|(_, execution)| execution.is_at_work());
    let mut tasks = at_work.flat_map(|(id, execution)| {
        jobs.tasks_of(id).map(|(_, task)| (execution.vendor.job_type(), task.job.clone(), execution.started))
    });
    let workers = (1..=WORKERS).map(|number| {
        let mut worker = json!({ "id": format!("{:024x}", number + 1), "pool_id": POOL });
        if let Some((job_type, job, started)) = tasks.next() {
            worker["job_name"] = job_type.into();
            worker["job_id"] = job.into();
            worker["start_at"] = json!(whole_seconds(started));
        }
        worker
    });
    Ok(Reply::json(workers.collect::<Vec<Value>>()))
}

/// What waits in a paused queue is counted; everything else runs at once.
fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "list")?;
    reach(call)?;
    let jobs = &call.data.jobs;
    let queues: Vec<Value> = job_types(call.version())
        .map(|job_type| {
            let paused = jobs.paused.contains(job_type);
            let waiting = jobs.executions.iter().filter(|(_, execution)| {
                execution.is_running() && execution.waits && execution.vendor.job_type() == job_type
            });
            let waiting: Vec<_> = waiting.collect();
            let tasks: usize = waiting.iter().map(|(id, _)| jobs.tasks_of(*id).count()).sum();
            let first = waiting.iter().map(|(_, execution)| execution.started).min();
            let latency = first.map_or(0, |first| call.now.duration_since(first).as_secs());
            Shown::new()
                .with("job_type", job_type)
                .with("paused", paused)
                .nonzero("count", tasks)
                .nonzero("latency", latency)
                .into()
        })
        .collect();
    Ok(Reply::json(queues))
}

/// Any name can be paused, also one that no queue has.
fn act(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: QueueAction = call.body("action_request")?;
    call.on_system(RESOURCE, "stop")?;
    reach(call)?;
    let named = call.parameter("job_type").to_owned();
    let types: Vec<String> = if named == "all" {
        job_types(call.version()).map(str::to_owned).collect()
    } else {
        vec![named.to_uppercase()]
    };
    let now = call.now;
    let jobs = &mut call.data.jobs;
    match wanted.action.as_deref() {
        Some("pause") => jobs.pause(types),
        Some("resume") => jobs.resume(&types),
        Some("stop") => {
            for (_, execution) in jobs.executions.iter_mut() {
                if types.iter().any(|job_type| job_type == execution.vendor.job_type()) {
                    execution.end(Status::Stopped, now);
                }
            }
        }
        _ => {}
    }
    Ok(Reply::done())
}

fn stop_job(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "stop")?;
    reach(call)?;
    let job = call.parameter("job_id").to_owned();
    let execution = match call.data.jobs.tasks.find(|task| task.job == job) {
        Some((_, task)) => task.execution,
        None => return Err(Failure::not_found(format!("job {job} not found"))),
    };
    let now = call.now;
    if let Some(execution) = call.data.jobs.executions.get_mut(execution) {
        execution.end(Status::Stopped, now);
    }
    Ok(Reply::done())
}
