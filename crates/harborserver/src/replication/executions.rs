//! Runs of replication policies. Nothing is copied: the executions list the repositories that Harbor would copy.

use super::{ReplicationPolicy, read::missing};
use crate::{
    call::Call,
    clock::{date_time, seconds, whole_seconds},
    failure::Failure,
    glob,
    jobs::{Execution, Listed, Run, Status, Task, Trigger, Vendor},
    repositories::Repository,
    rest::{Column, Filter, Reply, Row, Term, go_struct},
    state::{Data, Id},
};
use serde_json::{Map, Value, json};

const RESOURCE: &str = "replication";

go_struct! { StartRequest = "StartReplicationExecution" { policy_id: i64 } }

pub(super) fn start(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: StartRequest = call.body("execution")?;
    call.on_system(RESOURCE, "create")?;
    let id: Id<ReplicationPolicy> = Id::new(wanted.policy_id);
    let policy = call.data.replication_policies.get(id).ok_or_else(|| missing(id))?;
    if !policy.wanted.enabled {
        return Err(Failure::precondition(format!("the policy {id} is disabled")));
    }
    let run = Run {
        vendor: Vendor::Replication,
        vendor_id: id.number(),
        trigger: Trigger::Manual,
        parameters: Map::new(),
        tasks: copies(call.data, policy),
        duration: call.runtime.job_duration,
    };
    let execution = call.data.jobs.run(run, &mut *call.runtime.entropy, call.now);
    Ok(Reply::created(call.location(&execution.to_string())))
}

/// One task for every repository of which the filters keep a tag.
fn copies(data: &Data, policy: &ReplicationPolicy) -> Vec<Map<String, Value>> {
    let pattern = |kind: &str| {
        let filter = policy.wanted.filters.iter().find(|filter| filter.kind == kind)?;
        Some((filter.value.as_str()?.to_owned(), filter.decoration == "excludes"))
    };
    let (names, tags) = (pattern("name"), pattern("tag"));
    let fits = |pattern: &Option<(String, bool)>, text: &str| {
        pattern.as_ref().is_none_or(|(pattern, excludes)| glob::matches(pattern, text) != *excludes)
    };
    let copied = |(id, repository): (Id<Repository>, &Repository)| {
        let artifacts = data.artifacts.iter().filter(|(artifact, row)| {
            let mut own = data.tags.iter().filter(|(_, tag)| tag.artifact == *artifact);
            row.repository == id && own.any(|(_, tag)| fits(&tags, &tag.name))
        });
        let count = artifacts.count();
        if count == 0 || !fits(&names, &repository.name) {
            return None;
        }
        let destination =
            destination(&repository.name, &policy.wanted.dest_namespace, policy.wanted.replace_count());
        let described = |name: &str| format!("{name} [{count} item(s) in total]");
        let details =
            json!({ "src_resource": described(&repository.name), "dst_resource": described(&destination) });
        details.as_object().cloned()
    };
    data.repositories.iter().filter_map(copied).collect()
}

/// The name of a copy: the namespace replaces so many parts of the name, or all but the last.
fn destination(name: &str, namespace: &str, replaced: i64) -> String {
    if namespace.is_empty() {
        return name.to_owned();
    }
    let parts: Vec<&str> = name.split('/').collect();
    let last = parts.len().saturating_sub(1);
    let replaced = usize::try_from(replaced).map_or(last, |replaced| replaced.min(last));
    format!("{namespace}/{}", parts.get(replaced..).unwrap_or_default().join("/"))
}

const fn word(status: Status) -> &'static str {
    match status {
        Status::Running => "InProgress",
        Status::Success => "Succeed",
        Status::Stopped => "Stopped",
    }
}

fn show(data: &Data, id: Id<Execution>, execution: &Execution) -> Value {
    let total = data.jobs.tasks_of(id).count();
    let count = |status: Status| if execution.status == status { total } else { 0 };
    json!({
        "id": id.number(),
        "policy_id": execution.vendor_id,
        "status": word(execution.status),
        "status_text": "",
        "trigger": "manual",
        "total": total,
        "failed": 0,
        "in_progress": count(Status::Running),
        "stopped": count(Status::Stopped),
        "succeed": count(Status::Success),
        "start_time": date_time(execution.started),
        "end_time": whole_seconds(execution.ended),
    })
}

fn found<'a>(call: &'a Call<'_>, id: Id<Execution>) -> Result<&'a Execution, Failure> {
    let execution = call.data.jobs.executions.get(id).filter(|it| it.vendor == Vendor::Replication);
    execution.ok_or_else(|| Failure::not_found(format!("replication execution {id} not found")))
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let policy = call.request.integer("policy_id")?;
    call.on_system(RESOURCE, "list")?;
    let mut filter = Filter::default();
    if let Some(status) = call.request.parameter("status") {
        let status = if status == "Succeed" { "Success" } else { status };
        filter = filter.and("status", Term::Exact(status.to_owned()));
    }
    let executions = call.data.jobs.executions_of(Vendor::Replication, policy);
    let rows = executions.map(|(id, execution)| Listed(id, execution));
    call.listed(&filter, "-start_time", rows, |Listed(id, execution)| show(call.data, id, execution))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("id")?;
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id)?;
    Ok(Reply::json(show(call.data, id, execution)))
}

pub(super) fn stop(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("id")?;
    call.on_system(RESOURCE, "create")?;
    found(call, id)?;
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
    let id = call.id("id")?;
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id)?;
    let rows = call.data.jobs.tasks_of(id).map(|(id, task)| ListedTask(id, task));
    call.listed(&Filter::default(), "-id", rows, |ListedTask(task, row)| {
        let detail = |name: &str| row.details.get(name).cloned().unwrap_or_default();
        json!({
            "id": task.number(),
            "execution_id": id.number(),
            "job_id": row.job,
            "operation": "copy",
            "resource_type": "artifact",
            "src_resource": detail("src_resource"),
            "dst_resource": detail("dst_resource"),
            "status": word(execution.status),
            "start_time": whole_seconds(execution.started),
            "end_time": whole_seconds(execution.ended),
        })
    })
}

pub(super) fn log(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let (id, task): (Id<Execution>, Id<Task>) = (call.id("id")?, call.id("task_id")?);
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id)?;
    if call.data.jobs.tasks_of(id).all(|(known, _)| known != task) {
        return Err(Failure::not_found(format!("replication task {task} not found")));
    }
    Ok(Reply::text(format!("{} [INFO] copy completed\n", seconds(execution.started))))
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn the_namespace_replaces_as_many_parts_of_a_name_as_the_policy_says() {
        let names = [-1, 0, 1, 2, 9].map(|count| destination("a/b/c", "x", count));
        assert_eq!(names, ["x/c", "x/a/b/c", "x/b/c", "x/c", "x/c"]);
        assert_eq!(destination("a/b", "", 1), "a/b");
    }
}
