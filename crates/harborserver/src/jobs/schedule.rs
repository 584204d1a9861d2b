//! When jobs run by themselves, as bodies describe it and as it is stored.

use super::Vendor;
use crate::{
    call::Call,
    clock::{NEVER, date_time},
    cron::Cron,
    failure::Failure,
    rest::{Shown, go_struct},
    version::{Change, Version},
};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// When a job runs by itself. The stand-in never starts one.
#[derive(Clone)]
pub(crate) struct Schedule {
    pub vendor: Vendor,
    pub vendor_id: i64,
    pub cron: String,
    /// Hourly, Daily, Weekly, Custom, or what the scan of all artifacts takes besides.
    pub kind: String,
    pub parameters: Map<String, Value>,
    pub updated: Timestamp,
}

go_struct! {
    /// A schedule as bodies describe it.
    ScheduleRequest = "Schedule" { schedule: Option<ScheduleTimes>, parameters: BTreeMap<String, Value> }
}

go_struct! {
    /// Type and cron text.
    ScheduleTimes = "ScheduleObj" { kind = "type": String, cron: String }
}

/// The last one came later.
const KINDS: [&str; 7] = ["Hourly", "Daily", "Weekly", "Custom", "Manual", "None", "Schedule"];

/// What a body asks for.
pub(super) enum Wanted {
    /// Run by itself.
    Timed(ScheduleTimes),
    /// Run now.
    Now,
    /// Run no more.
    Never,
    /// A type that most jobs ignore.
    Other(ScheduleTimes),
}

impl ScheduleRequest {
    /// Returns what a body asks for. A body without a type is valid. Version 2.5 does not know the type `Schedule`.
    pub(super) fn wanted(&self, version: Version) -> Result<Wanted, Failure> {
        let times = self.schedule.clone().unwrap_or_default();
        let known = if version.has(Change::ShowsNextRun) { &KINDS[..] } else { &KINDS[..6] };
        if !times.kind.is_empty() && !known.contains(&times.kind.as_str()) {
            let nested = "validation failure list:\n".repeat(2);
            return Err(Failure::unprocessable(&format!(
                "{nested}type in body should be one of [{}]",
                known.join(" ")
            )));
        }
        match times.kind.as_str() {
            "Hourly" | "Daily" | "Weekly" | "Custom" => Ok(Wanted::Timed(times)),
            "Manual" => Ok(Wanted::Now),
            "None" => Ok(Wanted::Never),
            _ => Ok(Wanted::Other(times)),
        }
    }
}

impl Schedule {
    pub fn new(vendor: Vendor, vendor_id: i64, cron: &str, now: Timestamp) -> Self {
        Self {
            vendor,
            vendor_id,
            cron: cron.to_owned(),
            kind: String::new(),
            parameters: Map::new(),
            updated: now,
        }
    }

    /// The part of an answer that tells when the job runs.
    pub fn show_times(&self, version: Version, next: &str) -> Value {
        Shown::new()
            .nonzero("type", self.kind.as_str())
            .nonzero("cron", self.cron.as_str())
            .when(version.has(Change::ShowsNextRun), "next_scheduled_time", next)
            .into()
    }

    /// When the job runs next, as answers write it.
    pub fn next_run(&self, version: Version, now: Timestamp) -> String {
        next_run(&self.cron, version, now)
    }
}

/// When a cron text fires next, as answers write it.
pub(crate) fn next_run(cron: &str, version: Version, now: Timestamp) -> String {
    date_time(Cron::checked(cron, version).ok().and_then(|cron| cron.next(now)))
}

/// The times of a job that was started by hand.
pub(super) fn manual_times(version: Version) -> Value {
    Shown::new()
        .with("type", "Manual")
        .when(version.has(Change::ShowsNextRun), "next_scheduled_time", NEVER)
        .into()
}

/// Refuses cron texts that do not fit. `what` is the job in Harbor's words.
pub(super) fn check_cron(call: &Call<'_>, what: &str, cron: &str) -> Result<(), Failure> {
    let version = call.version();
    let Err(problem) = Cron::checked(cron, version) else { return Ok(()) };
    Err(Failure::bad_request(if version.has(Change::ChecksCron) {
        format!("invalid cron string for scheduled {what}: {cron}, error: {problem}")
    } else if cron.is_empty() && what == "gc" {
        "empty cron string for gc schedule".to_owned()
    } else {
        format!("invalid cron {cron}: {problem}")
    }))
}
