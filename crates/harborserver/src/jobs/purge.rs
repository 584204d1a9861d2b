//! Removal of old audit logs.

use super::{
    Listed, Run, Trigger, Vendor,
    gc::{found, show_execution, show_schedule, stop_execution},
    schedule::{ScheduleRequest, Wanted, check_cron},
};
use crate::{
    call::Call,
    clock::seconds,
    failure::Failure,
    rest::{Reply, Route},
    state::Id,
    version::Change,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub(super) const ROUTES: &[Route] = &[
    Route::get("/system/purgeaudit", list).since(6),
    Route::get("/system/purgeaudit/{purge_id}", read).since(6),
    Route::put("/system/purgeaudit/{purge_id}", stop).since(6),
    Route::get("/system/purgeaudit/{purge_id}/log", log).since(6).text(),
    Route::get("/system/purgeaudit/schedule", read_schedule).since(6),
    Route::post("/system/purgeaudit/schedule", create_schedule).since(6),
    Route::put("/system/purgeaudit/schedule", update_schedule).since(6),
];

const RESOURCE: &str = "purge-audit";
const PURGE: Vendor = Vendor::PurgeAudit;
const NO_POLICY: i64 = -1;
/// Hours of 10,000 days.
const LONGEST: i64 = 240_000;

fn create_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScheduleRequest = call.body("schedule")?;
    let what = wanted.wanted(call.version())?;
    call.on_system(RESOURCE, "create")?;
    let id = set(call, what, &wanted.parameters)?;
    Ok(Reply::created(format!("/api/v2.0/system/purgeaudit/{id}")))
}

fn update_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScheduleRequest = call.body("schedule")?;
    let what = wanted.wanted(call.version())?;
    call.on_system(RESOURCE, "update")?;
    set(call, what, &wanted.parameters)?;
    Ok(Reply::done())
}

/// The name of the parameter that lists what is removed. It changed, and stored schedules were not migrated.
fn include(call: &Call<'_>) -> &'static str {
    if call.has(Change::AuditLogExt) { "include_event_types" } else { "include_operations" }
}

/// Replaces the schedule, or purges now; returns the number of the execution, or 0.
fn set(call: &mut Call<'_>, wanted: Wanted, parameters: &BTreeMap<String, Value>) -> Result<i64, Failure> {
    check(call, parameters)?;
    match wanted {
        Wanted::Timed(times) => {
            check_cron(call, "log rotation purge", &times.cron)?;
            call.data.jobs.unschedule(PURGE, NO_POLICY);
            let id = call.data.jobs.schedule(PURGE, NO_POLICY, &times.cron, call.now);
            if let Some(schedule) = call.data.jobs.schedules.get_mut(id) {
                schedule.kind = times.kind;
                schedule.parameters = parameters.clone().into_iter().collect();
            }
            Ok(0)
        }
        Wanted::Now => {
            let kept = ["audit_retention_hour", "dry_run", include(call)];
            let parameters: Map<String, Value> =
                parameters.clone().into_iter().filter(|(name, _)| kept.contains(&name.as_str())).collect();
            let run = Run {
                vendor: PURGE,
                vendor_id: NO_POLICY,
                trigger: Trigger::Manual,
                parameters,
                tasks: vec![Map::new()],
                duration: call.runtime.job_duration,
            };
            Ok(call.data.jobs.run(run, &mut *call.runtime.entropy, call.now).number())
        }
        Wanted::Never => {
            call.data.jobs.unschedule(PURGE, NO_POLICY);
            Ok(0)
        }
        Wanted::Other(_) => Ok(0),
    }
}

/// Parameters must be there even to remove the schedule. What they list is not checked.
fn check(call: &Call<'_>, parameters: &BTreeMap<String, Value>) -> Result<(), Failure> {
    let bad = |problem: &str| Err(Failure::bad_request(format!("bad request: {problem}")));
    if parameters.is_empty() {
        return bad("schedule parameter cann't be empty");
    }
    let Some(hours) = parameters.get("audit_retention_hour") else {
        return bad("audit_retention_hour should provide");
    };
    if hours.as_i64().is_some_and(|hours| hours > LONGEST) {
        return bad("audit_retention_hour is out of range");
    }
    let include = include(call);
    if !parameters.contains_key(include) {
        return bad(&format!("{include} should provide"));
    }
    Ok(())
}

fn read_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "read")?;
    let found = call.data.jobs.schedule_of(PURGE, NO_POLICY);
    Ok(Reply::maybe(found.map(|(id, schedule)| show_schedule(call, id, schedule))))
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    call.on_system(RESOURCE, "list")?;
    let executions = call.data.jobs.executions_of(PURGE, None).map(|(id, execution)| Listed(id, execution));
    let version = call.version();
    call.listed(&filter, "-creation_time", executions, |Listed(id, execution)| {
        show_execution(id, execution, &execution.parameters, version)
    })
}

fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("purge_id")?;
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id, PURGE)?;
    Ok(Reply::json(show_execution(id, execution, &execution.parameters, call.version())))
}

fn stop(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("purge_id")?;
    call.on_system(RESOURCE, "stop")?;
    stop_execution(call, id, PURGE)
}

fn log(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<_> = call.id("purge_id")?;
    call.on_system(RESOURCE, "read")?;
    let execution = found(call, id, PURGE)?;
    Ok(Reply::text(format!("{} [INFO] Purge audit job start\n", seconds(execution.started))))
}
