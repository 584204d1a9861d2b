//! Executions of what Harbor runs in the background.

mod results;
#[cfg(test)]
mod tests;

use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, shown},
};
use harbor::{
    ExecutionId, ReplicationId, RetentionId, garbage_collection, purge,
    replication::ReplicationExecution,
    retention::{RetentionExecution, Run},
    schedules,
};
use harborstate::execution::{Execution, Facts, Job, Name, Progress, Which};
use jiff::Timestamp;
use plan::{External, SystemError};
use serde_json::Value;

/// By how many seconds the clock of Harbor may be behind that of the cluster. An execution that was started by hand within
/// this time before it was asked for counts as the one that was asked for.
const CLOCK_SKEW: i64 = 30;

/// The collection `execution`.
pub(crate) struct Executions;

impl Manage for Executions {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(part) = part else { return Ok(Objects::new()) };
        let name = parse(part)?;
        let found = find(client, &name).await?;
        // Which scan Harbor remembers is unknown. One that has ended may be an earlier one.
        let is_earlier = |facts: &Facts| {
            let is_new = matches!((&name.job, name.which), (Job::ScanAll, Which::Since(_)));
            is_new && facts.progress != Progress::Running
        };
        let found = found.filter(|facts| !is_earlier(facts));
        let shown = found.map(|facts| shown(Execution::default(), facts)).transpose()?;
        Ok(shown.map(|value| (part.to_owned(), value)).into_iter().collect())
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let found = find(client, &parse(name)?).await?;
        found.map(|facts| shown(Execution::default(), facts)).transpose()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let (execution, harbor) = (desired::<Execution>(wanted)?, &client.harbor);
        let dry_run = execution.dry_run.unwrap_or_default();
        match parse(&wanted.name)?.job {
            Job::GarbageCollection => {
                let parameters = garbage_collection::Parameters {
                    delete_untagged: execution.delete_untagged.unwrap_or_default(),
                    workers: execution.workers,
                    delete_tag: execution.delete_tag.unwrap_or_default(),
                    dry_run,
                };
                harbor.garbage_collection().start(&parameters).await.map(drop).map_err(system_error)
            }
            Job::ScanAll => harbor.scan_all().start().await.map_err(system_error),
            Job::AuditPurge => {
                let version = harbor.server_info().await.map_err(system_error)?.version;
                let selected = execution.selected.unwrap_or_default();
                let hours = execution.retention_hours.unwrap_or_default();
                let mut parameters =
                    purge::Parameters::new(version, hours, selected.iter().map(String::as_str));
                parameters.dry_run = dry_run;
                harbor.purge().start(&parameters).await.map(drop).map_err(system_error)
            }
            Job::Replication(policy) => {
                let policy = replication(client, &policy).await?;
                harbor.replication_executions().start(policy).await.map(drop).map_err(system_error)
            }
            Job::Retention(project) => {
                let policy = retention(client, &project).await?;
                let run = if dry_run { Run::Dry } else { Run::Real };
                harbor.retentions().start(policy, run).await.map(drop).map_err(system_error)
            }
        }
    }

    async fn update(_: &Client, _: &External, _: &Value) -> Result<(), SystemError> {
        Ok(())
    }

    /// What was executed stays so.
    async fn delete(_: &Client, _: &str, _: &Value) -> Result<(), SystemError> {
        Ok(())
    }
}

fn parse(name: &str) -> Result<Name, SystemError> {
    Name::parse(name).ok_or_else(|| rejected(format!("{name:?} is no execution"), "report this as a bug"))
}

async fn find(client: &Client, Name { job, which }: &Name) -> Result<Option<Facts>, SystemError> {
    let harbor = &client.harbor;
    match job {
        Job::GarbageCollection => {
            let runs = harbor.garbage_collection().history().await.map_err(system_error)?;
            Ok(the_one(runs.iter().map(|run| of_job(run, results::collected)), *which))
        }
        Job::AuditPurge => {
            let runs = harbor.purge().history().await.map_err(system_error)?;
            Ok(the_one(runs.iter().map(|run| of_job(run, results::purged)), *which))
        }
        Job::ScanAll => scan(client).await,
        Job::Replication(policy) => {
            let policy = replication(client, policy).await?;
            let runs = harbor.replication_executions().list(policy).await.map_err(system_error)?;
            Ok(the_one(runs.iter().map(of_replication), *which))
        }
        Job::Retention(project) => {
            let policy = retention(client, project).await?;
            let runs = harbor.retentions().executions(policy).await.map_err(system_error)?;
            let Some(mut facts) = the_one(runs.iter().map(of_retention), *which) else { return Ok(None) };
            if facts.progress != Progress::Running {
                let id = ExecutionId::from(facts.id);
                let tasks = harbor.retentions().tasks(policy, id).await.map_err(system_error)?;
                let is_dry = runs.iter().any(|run| run.id == id && run.dry_run);
                facts.result = results::retained(&tasks, if is_dry { Run::Dry } else { Run::Real });
            }
            Ok(Some(facts))
        }
    }
}

/// The execution that is asked for, among some of which it is known whether they were started by hand.
fn the_one(all: impl Iterator<Item = (Facts, bool)>, which: Which) -> Option<Facts> {
    match which {
        Which::Number(number) => all.map(|(facts, _)| facts).find(|facts| facts.id == number),
        Which::Since(since) => {
            let is_it = |(facts, by_hand): &(Facts, bool)| {
                *by_hand && facts.started.is_some_and(|started| started >= since - CLOCK_SKEW)
            };
            all.filter(is_it).map(|(facts, _)| facts).min_by_key(|facts| facts.id)
        }
    }
}

/// How the last scan stands. Harbor numbers none and remembers one. It does not say how that ended as a whole: a scan of
/// which an artifact failed is counted as failed, as in Harbor's list of executions.
async fn scan(client: &Client) -> Result<Option<Facts>, SystemError> {
    let metrics = client.harbor.scan_all().metrics().await.map_err(system_error)?;
    if metrics.trigger.is_empty() && metrics.total == 0 && !metrics.ongoing {
        return Ok(None);
    }
    let has = |status: &str| metrics.metrics.get(status).is_some_and(|count| *count > 0);
    let status = if metrics.ongoing {
        "Running"
    } else if has("Error") {
        "Error"
    } else if has("Stopped") {
        "Stopped"
    } else {
        "Success"
    };
    let result = results::scanned(&metrics);
    Ok(Some(Facts { progress: progress(status), status: status.into(), result, ..Facts::default() }))
}

/// How a job stands, and whether it was started by hand. Its result is known when it has succeeded.
fn of_job(job: &schedules::Job, result: impl Fn(&schedules::Job) -> String) -> (Facts, bool) {
    let progress = progress(&job.status);
    let facts = Facts {
        id: number(job.id),
        progress,
        status: job.status.clone(),
        started: second(job.creation_time),
        ended: second(job.update_time).filter(|_| job.has_ended()),
        result: if progress == Progress::Succeeded { result(job) } else { String::new() },
    };
    (facts, job.kind.eq_ignore_ascii_case("manual"))
}

fn of_replication(run: &ReplicationExecution) -> (Facts, bool) {
    let facts = Facts {
        id: number(run.id),
        progress: progress(&run.status),
        status: run.status.clone(),
        started: second(run.start_time),
        ended: second(run.end_time).filter(|_| run.has_ended()),
        result: results::replicated(run),
    };
    (facts, run.trigger.eq_ignore_ascii_case("manual"))
}

/// Its tasks, which are another list, have the result.
fn of_retention(run: &RetentionExecution) -> (Facts, bool) {
    let facts = Facts {
        id: number(run.id),
        progress: progress(&run.status),
        status: run.status.clone(),
        started: second(run.start_time),
        ended: second(run.end_time).filter(|_| progress(&run.status) != Progress::Running),
        result: String::new(),
    };
    (facts, run.trigger.eq_ignore_ascii_case("manual"))
}

/// The words differ between jobs.
fn progress(status: &str) -> Progress {
    match status {
        "Success" | "Succeed" => Progress::Succeeded,
        "Error" | "Failed" | "Stopped" => Progress::Failed,
        _ => Progress::Running,
    }
}

fn number(id: ExecutionId) -> i64 {
    id.0
}

fn second(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::as_second)
}

async fn replication(client: &Client, name: &str) -> Result<ReplicationId, SystemError> {
    let policy = client.harbor.replications().find(name).await.map_err(system_error)?;
    policy.map(|policy| policy.id).ok_or_else(|| SystemError::InUse {
        problem: format!("there is no replication policy {name:?}"),
        remedy: "create it".into(),
    })
}

async fn retention(client: &Client, project: &str) -> Result<RetentionId, SystemError> {
    let metadata = client.harbor.project(project).metadata().list().await.map_err(system_error)?;
    let id = metadata.get(&harbor::projects::MetadataKey::RetentionId).and_then(|id| id.parse::<i64>().ok());
    id.map(RetentionId::from).ok_or_else(|| SystemError::InUse {
        problem: format!("project {project:?} has no retention policy"),
        remedy: "create one, for example with spec.retention of its HarborProject".into(),
    })
}
