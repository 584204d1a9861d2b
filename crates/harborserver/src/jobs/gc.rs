//! Garbage collection.

use super::{
    Listed, Run, Schedule, Status, Trigger, Vendor,
    execution::Execution,
    schedule::{ScheduleRequest, Wanted, check_cron, manual_times},
};
use crate::{
    call::Call,
    clock::{date_time, seconds, whole_seconds},
    failure::Failure,
    rest::{Reply, Route},
    state::Id,
    version::{Change, Version},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(super) const ROUTES: &[Route] = &[
    Route::get("/system/gc", list),
    Route::get("/system/gc/{gc_id}", read),
    Route::put("/system/gc/{gc_id}", stop).since(6),
    Route::get("/system/gc/{gc_id}/log", log).text(),
    Route::get("/system/gc/schedule", read_schedule),
    Route::post("/system/gc/schedule", create_schedule),
    Route::put("/system/gc/schedule", update_schedule),
];

const RESOURCE: &str = "garbage-collection";
const GC: Vendor = Vendor::GarbageCollection;
/// Schedules of the system belong to no policy.
const NO_POLICY: i64 = -1;

fn create_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScheduleRequest = call.body("schedule")?;
    let what = wanted.wanted(call.version())?;
    call.on_system(RESOURCE, "create")?;
    let id = set(call, what, &wanted.parameters)?;
    Ok(Reply::created(format!("/api/v2.0/system/gc/{}", id.map_or(0, Id::number))))
}

fn update_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScheduleRequest = call.body("schedule")?;
    let what = wanted.wanted(call.version())?;
    call.on_system(RESOURCE, "update")?;
    set(call, what, &wanted.parameters)?;
    Ok(Reply::done())
}

/// Replaces the schedule, or runs a collection now. Types that are not known change nothing.
fn set(
    call: &mut Call<'_>,
    wanted: Wanted,
    parameters: &BTreeMap<String, Value>,
) -> Result<Option<Id<Execution>>, Failure> {
    check_workers(call.version(), parameters)?;
    match wanted {
        Wanted::Timed(times) => {
            check_cron(call, "gc", &times.cron)?;
            call.data.jobs.unschedule(GC, NO_POLICY);
            let id = call.data.jobs.schedule(GC, NO_POLICY, &times.cron, call.now);
            let shown = schedule_parameters(call.version(), parameters);
            if let Some(schedule) = call.data.jobs.schedules.get_mut(id) {
                schedule.kind = times.kind;
                schedule.parameters = shown;
            }
            Ok(None)
        }
        Wanted::Now => {
            let run = Run {
                vendor: GC,
                vendor_id: NO_POLICY,
                trigger: Trigger::Manual,
                parameters: run_parameters(call, parameters),
                tasks: vec![Map::new()],
                duration: call.runtime.job_duration,
            };
            Ok(Some(call.data.jobs.run(run, &mut *call.runtime.entropy, call.now)))
        }
        Wanted::Never => {
            call.data.jobs.unschedule(GC, NO_POLICY);
            Ok(None)
        }
        Wanted::Other(_) => Ok(None),
    }
}

/// Only numbers are looked at: a text is 0.
fn check_workers(version: Version, parameters: &BTreeMap<String, Value>) -> Result<(), Failure> {
    let most = if version.has(Change::TenGcWorkers) { 10 } else { 5 };
    match parameters.get("workers").and_then(Value::as_i64) {
        Some(workers) if version.has(Change::GcWorkers) && !(1..=most).contains(&workers) => {
            Err(Failure::bad_request(format!(
                "Error: Invalid number of workers:{workers}. Workers must be greater than 0 and less than or \
                 equal to {most}."
            )))
        }
        _ => Ok(()),
    }
}

/// What a schedule shows of its parameters: never `dry_run`.
fn schedule_parameters(version: Version, parameters: &BTreeMap<String, Value>) -> Map<String, Value> {
    let flag = |name: &str| parameters.get(name).and_then(Value::as_bool).unwrap_or_default();
    let mut shown = Map::from_iter([("delete_untagged".to_owned(), flag("delete_untagged").into())]);
    if version.has(Change::GcWorkers) {
        let workers = parameters.get("workers").and_then(Value::as_i64).unwrap_or_default();
        shown.insert("workers".to_owned(), workers.into());
    }
    if version.has(Change::GcDeletesTags) {
        shown.insert("delete_tag".to_owned(), flag("delete_tag").into());
    }
    shown
}

fn run_parameters(call: &Call<'_>, parameters: &BTreeMap<String, Value>) -> Map<String, Value> {
    let mut shown = schedule_parameters(call.version(), parameters);
    let dry_run = parameters.get("dry_run").and_then(Value::as_bool).unwrap_or_default();
    shown.insert("dry_run".to_owned(), dry_run.into());
    shown.insert("time_window".to_owned(), 2.into());
    if !call.has(Change::HidesRedisUrl) {
        let url = call.runtime.installation.registry_cache_url.as_str();
        shown.insert("redis_url_reg".to_owned(), url.into());
    }
    shown
}

fn read_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "read")?;
    let found = call.data.jobs.schedule_of(GC, NO_POLICY);
    Ok(Reply::maybe(found.map(|(id, schedule)| show_schedule(call, id, schedule))))
}

/// A schedule of the collection or of the purge.
pub(super) fn show_schedule(call: &Call<'_>, id: Id<Schedule>, schedule: &Schedule) -> Value {
    let next = schedule.next_run(call.version(), call.now);
    json!({
        "id": id.number(),
        "job_kind": schedule.cron,
        "job_parameters": Value::Object(schedule.parameters.clone()).to_string(),
        "job_status": "Running",
        "schedule": schedule.show_times(call.version(), &next),
        "creation_time": date_time(schedule.updated),
        "update_time": date_time(schedule.updated),
    })
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    call.on_system(RESOURCE, "list")?;
    let executions = call.data.jobs.executions_of(GC, None).map(|(id, execution)| Listed(id, execution));
    let version = call.version();
    call.listed(&filter, "-creation_time", executions, |Listed(id, execution)| show(id, execution, version))
}

fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("gc_id")?;
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id, GC)?;
    Ok(Reply::json(show(id, execution, call.version())))
}

/// An execution of a certain vendor.
pub(super) fn found<'a>(
    call: &'a Call<'_>,
    id: Id<Execution>,
    vendor: Vendor,
) -> Result<&'a Execution, Failure> {
    let execution = call.data.jobs.executions.get(id).filter(|execution| execution.vendor == vendor);
    execution.ok_or_else(|| Failure::not_found(format!("{} {id} not found", vendor.name().to_lowercase())))
}

/// What a finished collection found is part of its parameters. Nothing is old enough to be freed.
fn show(id: Id<Execution>, execution: &Execution, version: Version) -> Value {
    let mut parameters = execution.parameters.clone();
    if execution.status == Status::Success && version.has(Change::GcWorkers) {
        for found in ["freed_space", "purged_blobs", "purged_manifests"] {
            parameters.insert(found.to_owned(), 0.into());
        }
    }
    show_execution(id, execution, &parameters, version)
}

/// An execution of the collection or of the purge.
pub(super) fn show_execution(
    id: Id<Execution>,
    execution: &Execution,
    parameters: &Map<String, Value>,
    version: Version,
) -> Value {
    let updated = execution.ended.map_or_else(|| date_time(execution.started), whole_seconds);
    json!({
        "id": id.number(),
        "job_name": execution.vendor.name(),
        "job_kind": execution.trigger.name(),
        "job_parameters": Value::Object(parameters.clone()).to_string(),
        "job_status": execution.status.name(),
        "schedule": manual_times(version),
        "creation_time": date_time(execution.started),
        "update_time": updated,
    })
}

fn stop(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("gc_id")?;
    call.on_system(RESOURCE, "stop")?;
    stop_execution(call, id, GC)
}

/// Stopping what is over changes nothing.
pub(super) fn stop_execution(
    call: &mut Call<'_>,
    id: Id<Execution>,
    vendor: Vendor,
) -> Result<Reply, Failure> {
    found(call, id, vendor)?;
    let now = call.now;
    if let Some(execution) = call.data.jobs.executions.get_mut(id) {
        execution.end(Status::Stopped, now);
    }
    Ok(Reply::done())
}

fn log(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("gc_id")?;
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id, GC)?;
    Ok(Reply::text(format!("{} [INFO] success to run gc in job.\n", seconds(execution.started))))
}
