//! Scan of all artifacts. It needs a default scanner; without one, even reading fails with a dependency.

use super::schedules::{Body, Schedule, ShownSchedule};
use crate::{Harbor, client::Path, error::Error};
use serde::Deserialize;
use std::collections::BTreeMap;

impl Harbor {
    /// Scan of all artifacts.
    pub fn scan_all(&self) -> ScanAll<'_> {
        ScanAll { harbor: self }
    }
}

/// Calls about the scan of all artifacts.
#[derive(Clone, Copy, Debug)]
pub struct ScanAll<'h> {
    harbor: &'h Harbor,
}

const SCHEDULE: &str = "/system/scanAll/schedule";

impl ScanAll<'_> {
    /// The schedule, if there is one.
    pub async fn schedule(&self) -> Result<Option<ScanAllSchedule>, Error> {
        self.harbor.get(Path::new(SCHEDULE)).json_if_any().await
    }

    /// Sets the schedule.
    pub async fn set_schedule(&self, schedule: &Schedule) -> Result<(), Error> {
        let body = Body::<()>::set(schedule, None);
        self.harbor.put(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Removes the schedule.
    pub async fn remove_schedule(&self) -> Result<(), Error> {
        let body = Body::<()>::none(None);
        self.harbor.put(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Starts a scan now. Harbor refuses that during another.
    pub async fn start(&self) -> Result<(), Error> {
        let body = Body::<()>::now(None);
        self.harbor.post(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Stops the scan.
    pub async fn stop(&self) -> Result<(), Error> {
        self.harbor.post(Path::new("/system/scanAll/stop")).reaches_jobservice().done().await
    }

    /// How the last scan that was started by hand stands.
    pub async fn metrics(&self) -> Result<ScanMetrics, Error> {
        self.harbor.get(Path::new("/scans/all/metrics")).json().await
    }
}

/// The schedule of the scan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ScanAllSchedule {
    /// The schedule.
    pub schedule: ShownSchedule,
    /// How it stands.
    pub status: String,
}

/// How a scan stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ScanMetrics {
    /// How many artifacts are scanned.
    pub total: i64,
    /// How many of them have been.
    pub completed: i64,
    /// How many of them have each status.
    pub metrics: BTreeMap<String, i64>,
    /// Whether it runs.
    pub ongoing: bool,
    /// What started it.
    pub trigger: String,
}
