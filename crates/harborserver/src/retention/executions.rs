//! Runs of retention policies. Nothing is removed: what would be is counted.

use super::{RetentionPolicy, read::found};
use crate::{
    call::Call,
    clock::seconds,
    failure::Failure,
    jobs::{Execution, Listed, Run, Status, Task, Trigger, Vendor},
    rest::{Column, Filter, Reply, Row, go_struct},
    state::{Data, Id},
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

go_struct! { StartRequest = "TriggerRetentionExecutionBody" { dry_run: bool } }
go_struct! { StopRequest = "OperateRetentionExecutionBody" { action: String } }

pub(super) fn start(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<RetentionPolicy> = call.id("id")?;
    let wanted: StartRequest = call.body("body")?;
    let policy = found(call, id, "update")?;
    let run = Run {
        vendor: Vendor::Retention,
        vendor_id: id.number(),
        trigger: Trigger::Manual,
        parameters: Map::from_iter([("dry_run".to_owned(), wanted.dry_run.into())]),
        tasks: tasks_of(call.data, policy),
        duration: call.runtime.job_duration,
    };
    let execution = call.data.jobs.run(run, &mut *call.runtime.entropy, call.now);
    Ok(Reply::created(call.location(&execution.to_string())))
}

/// One task for every repository, the newest first.
fn tasks_of(data: &Data, policy: &RetentionPolicy) -> Vec<Map<String, Value>> {
    let repositories = data.repositories.iter().rev().filter(|(_, it)| it.project == policy.project);
    repositories
        .map(|(id, repository)| {
            let total = data.artifacts.iter().filter(|(_, artifact)| artifact.repository == id).count();
            let name = repository.name.split_once('/').map_or(repository.name.as_str(), |(_, name)| name);
            let details = json!({ "repository": name, "total": total, "retained": retained(policy, total) });
            details.as_object().cloned().unwrap_or_default()
        })
        .collect()
}

/// How many artifacts stay: as many as the most generous rule says. Days have not passed.
fn retained(policy: &RetentionPolicy, total: usize) -> usize {
    let kept = policy.rules.iter().filter(|rule| !rule.disabled).map(|rule| match rule.template.as_str() {
        "latestPushedK" | "latestPulledN" => {
            let count = rule.params.get(&rule.template).and_then(Value::as_u64).unwrap_or_default();
            usize::try_from(count).unwrap_or(usize::MAX).min(total)
        }
        _ => total,
    });
    kept.max().unwrap_or_default()
}

fn started(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<RetentionPolicy> = call.id("id")?;
    found(call, id, "read")?;
    let executions = call.data.jobs.executions_of(Vendor::Retention, Some(id.number()));
    let rows = executions.map(|(id, execution)| Listed(id, execution));
    call.listed(&Filter::default(), "-start_time", rows, |Listed(number, execution)| {
        json!({
            "id": number.number(),
            "policy_id": id.number(),
            "dry_run": execution.parameters.get("dry_run").cloned().unwrap_or_default(),
            "status": execution.status.name(),
            "trigger": execution.trigger.name(),
            "start_time": started(execution.started),
            "end_time": execution.ended.map_or_else(|| "0001-01-01T00:00:00Z".to_owned(), seconds),
        })
    })
}

/// An execution of the policy that the path names.
fn execution<'a>(call: &'a Call<'_>) -> Result<(Id<Execution>, &'a Execution), Failure> {
    let (policy, id): (Id<RetentionPolicy>, Id<Execution>) = (call.id("id")?, call.id("eid")?);
    found(call, policy, "read")?;
    let execution =
        call.data.jobs.executions.get(id).filter(|execution| {
            execution.vendor == Vendor::Retention && execution.vendor_id == policy.number()
        });
    let missing = || Failure::not_found(format!("execution {id} not found"));
    Ok((id, execution.ok_or_else(missing)?))
}

pub(super) fn stop(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: StopRequest = call.body("body")?;
    let (id, _) = execution(call)?;
    found(call, call.id("id")?, "update")?;
    if wanted.action != "stop" {
        return Err(Failure::bad_request(format!("action should be 'stop', but got: {}", wanted.action)));
    }
    let now = call.now;
    if let Some(execution) = call.data.jobs.executions.get_mut(id) {
        execution.end(Status::Stopped, now);
    }
    Ok(Reply::done())
}

struct ListedTask<'a>(Id<Task>, &'a Task);

impl Row for ListedTask<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        (name == "id").then(|| Column::Number(self.0.number()))
    }
}

pub(super) fn tasks(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let (id, execution) = execution(call)?;
    let rows = call.data.jobs.tasks_of(id).map(|(id, task)| ListedTask(id, task));
    call.listed(&Filter::default(), "-id", rows, |ListedTask(number, task)| {
        let detail = |name: &str| task.details.get(name).cloned().unwrap_or_default();
        json!({
            "id": number.number(),
            "execution_id": id.number(),
            "job_id": task.job,
            "repository": detail("repository"),
            "total": detail("total"),
            "retained": detail("retained"),
            "status": execution.status.name(),
            "status_code": if execution.is_running() { 2 } else { 3 },
            "start_time": seconds(execution.started),
            "end_time": execution.ended.map_or_else(|| "0001-01-01T00:00:00Z".to_owned(), seconds),
        })
    })
}

pub(super) fn log(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let task: Id<Task> = call.id("tid")?;
    let (id, execution) = execution(call)?;
    if call.data.jobs.tasks_of(id).all(|(known, _)| known != task) {
        return Err(Failure::not_found(format!("task {task} not found")));
    }
    Ok(Reply::text(format!("{} [INFO] Run retention process\n", seconds(execution.started))))
}
