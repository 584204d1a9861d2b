//! Scans of all artifacts.

use super::{
    Run, Status, Trigger, Vendor,
    schedule::{ScheduleRequest, ScheduleTimes, Wanted, check_cron},
};
use crate::{
    call::Call,
    clock::{NEVER, date_time},
    failure::Failure,
    rest::{Content, Reply, Route, Shown},
};
use http::StatusCode;
use serde_json::{Map, json};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/system/scanAll/schedule", read_schedule),
    Route::post("/system/scanAll/schedule", create_schedule),
    Route::put("/system/scanAll/schedule", update_schedule),
    Route::post("/system/scanAll/stop", stop),
    Route::get("/scans/all/metrics", metrics),
    Route::get("/scans/schedule/metrics", scheduled_metrics),
];

const RESOURCE: &str = "scan-all";
const SCAN: Vendor = Vendor::ScanAll;
const NO_POLICY: i64 = 0;

/// Refuses everything, reading included, while there is no scanner.
fn needs_scanner(call: &Call<'_>) -> Result<(), Failure> {
    let none = || Failure::precondition("no scanner is configured, it's not possible to scan");
    call.data.default_scanner().map(|_| ()).ok_or_else(none)
}

fn read_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "read")?;
    needs_scanner(call)?;
    let found = call.data.jobs.schedule_of(SCAN, NO_POLICY);
    Ok(Reply::maybe(found.map(|(id, schedule)| {
        json!({
            "id": id.number(),
            "status": "Running",
            "schedule": schedule.show_times(call.version(), NEVER),
            "creation_time": date_time(schedule.updated),
            "update_time": date_time(schedule.updated),
        })
    })))
}

fn create_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScheduleRequest = call.body("schedule")?;
    let what = wanted.wanted(call.version())?;
    call.on_system(RESOURCE, "create")?;
    needs_scanner(call)?;
    match what {
        Wanted::Now => run(call)?,
        Wanted::Never => {}
        Wanted::Timed(times) | Wanted::Other(times) => {
            if call.data.jobs.schedule_of(SCAN, NO_POLICY).is_some() {
                return Err(Failure::precondition(
                    "fail to set schedule for scan all as always had one, please delete it firstly then to \
                     re-schedule",
                ));
            }
            schedule(call, times)?;
        }
    }
    Ok(Reply::new(StatusCode::CREATED, Content::Nothing))
}

fn update_schedule(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ScheduleRequest = call.body("schedule")?;
    let what = wanted.wanted(call.version())?;
    call.on_system(RESOURCE, "update")?;
    needs_scanner(call)?;
    match what {
        Wanted::Now => {
            return Err(Failure::bad_request("can not update a manual schedule"));
        }
        Wanted::Never => call.data.jobs.unschedule(SCAN, NO_POLICY),
        Wanted::Timed(times) | Wanted::Other(times) => schedule(call, times)?,
    }
    Ok(Reply::done())
}

/// Any type is stored. The same type and time change nothing.
fn schedule(call: &mut Call<'_>, times: ScheduleTimes) -> Result<(), Failure> {
    check_cron(call, "scan all", &times.cron)?;
    let same = call.data.jobs.schedule_of(SCAN, NO_POLICY);
    if same.is_some_and(|(_, stored)| stored.cron == times.cron && stored.kind == times.kind) {
        return Ok(());
    }
    call.data.jobs.unschedule(SCAN, NO_POLICY);
    let id = call.data.jobs.schedule(SCAN, NO_POLICY, &times.cron, call.now);
    if let Some(schedule) = call.data.jobs.schedules.get_mut(id) {
        schedule.kind = times.kind;
    }
    Ok(())
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    if call.data.jobs.executions_of(SCAN, None).any(|(_, execution)| execution.is_running()) {
        return Err(Failure::conflict("a previous scan all job aren't finished"));
    }
    let tasks = call.data.artifacts.iter().map(|_| Map::new()).collect();
    let run = Run {
        vendor: SCAN,
        vendor_id: NO_POLICY,
        trigger: Trigger::Manual,
        parameters: Map::new(),
        tasks,
        duration: call.runtime.job_duration,
    };
    call.data.jobs.run(run, &mut *call.runtime.entropy, call.now);
    Ok(())
}

fn stop(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "stop")?;
    let running = call.data.jobs.executions_of(SCAN, None).find(|(_, it)| it.is_running()).map(|(id, _)| id);
    let now = call.now;
    if let Some(execution) = running.and_then(|id| call.data.jobs.executions.get_mut(id)) {
        execution.end(Status::Stopped, now);
    }
    Ok(Reply::new(StatusCode::ACCEPTED, Content::Nothing))
}

/// The newest run.
fn metrics(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "read")?;
    let Some((id, execution)) = call.data.jobs.executions_of(SCAN, None).next() else {
        return Ok(Reply::json(Shown::new()));
    };
    let total = call.data.jobs.tasks_of(id).count();
    let tasks = |status: Option<Status>| if Some(execution.status) == status { total } else { 0 };
    Ok(Reply::json(json!({
        "total": total,
        "completed": if execution.is_running() { 0 } else { total },
        "ongoing": execution.is_running(),
        "trigger": "Manual",
        "metrics": {
            "Error": 0,
            "Pending": tasks(Some(Status::Running)),
            "Running": 0,
            "Stopped": tasks(Some(Status::Stopped)),
            "Success": tasks(Some(Status::Success)),
        },
    })))
}

/// No schedule ever starts a run here.
fn scheduled_metrics(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "read")?;
    Ok(Reply::json(Shown::new()))
}
