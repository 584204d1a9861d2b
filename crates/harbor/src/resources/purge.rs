//! Purge of the audit log, from 2.6 on.

use super::schedules::{Body, Job, Schedule};
use crate::{ExecutionId, Harbor, Version, client::Path, error::Error, version::Feature};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

impl Harbor {
    /// Purge of the audit log.
    pub fn purge(&self) -> Purge<'_> {
        Purge { harbor: self }
    }
}

/// Calls about the purge of the audit log.
#[derive(Clone, Copy, Debug)]
pub struct Purge<'h> {
    harbor: &'h Harbor,
}

const SCHEDULE: &str = "/system/purgeaudit/schedule";
const HISTORY: &str = "/system/purgeaudit";

impl Purge<'_> {
    /// The schedule, if there is one.
    pub async fn schedule(&self) -> Result<Option<Job>, Error> {
        self.harbor.get(Path::new(SCHEDULE)).json_if_any().await
    }

    /// Sets the schedule.
    pub async fn set_schedule(&self, schedule: &Schedule, parameters: &Parameters) -> Result<(), Error> {
        let body = Body::set(schedule, Some(parameters));
        self.harbor.put(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Removes the schedule. Harbor wants valid parameters even for that; it ignores them.
    pub async fn remove_schedule(&self, version: Version) -> Result<(), Error> {
        let parameters = Parameters::new(version, 24, ["create"]);
        let body = Body::none(Some(&parameters));
        self.harbor.put(Path::new(SCHEDULE)).body(&body).reaches_jobservice().done().await
    }

    /// Starts a run now, each time.
    pub async fn start(&self, parameters: &Parameters) -> Result<ExecutionId, Error> {
        let body = Body::now(Some(parameters));
        self.harbor.post(Path::new(SCHEDULE)).body(&body).reaches_jobservice().created().await
    }

    /// Past and present runs.
    pub async fn history(&self) -> Result<Vec<Job>, Error> {
        self.harbor.get(Path::new(HISTORY)).pages().await
    }

    /// A run.
    pub async fn get(&self, id: ExecutionId) -> Result<Option<Job>, Error> {
        self.harbor.get(Path::new(HISTORY).id(id)).json_if_found().await
    }

    /// Stops a run.
    pub async fn stop(&self, id: ExecutionId) -> Result<(), Error> {
        self.harbor.put(Path::new(HISTORY).id(id)).reaches_jobservice().done().await
    }

    /// The log of a run.
    pub async fn log(&self, id: ExecutionId) -> Result<String, Error> {
        self.harbor.get(Path::new(HISTORY).id(id).then("log")).reaches_jobservice().text().await
    }
}

/// The parameters of a purge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// How many hours entries are kept, at most 240 000.
    pub audit_retention_hour: u32,
    /// Whether nothing is deleted.
    pub dry_run: bool,
    /// The operations whose entries are deleted, before 2.13: a comma list.
    #[serde(skip_serializing_if = "String::is_empty")]
    include_operations: String,
    /// The events whose entries are deleted, from 2.13 on: a comma list.
    #[serde(skip_serializing_if = "String::is_empty")]
    include_event_types: String,
}

impl Parameters {
    /// Deletes entries that are older than so many hours. Before 2.13 they are selected by operation (`create`,
    /// `delete`, `pull`), then by event (see [`super::audit::Audit::event_types`]).
    pub fn new<'a>(version: Version, hours: u32, selected: impl IntoIterator<Item = &'a str>) -> Self {
        let list = selected.into_iter().collect::<Vec<_>>().join(",");
        let (include_operations, include_event_types) =
            if version.has(Feature::AuditEventTypes) { (String::new(), list) } else { (list, String::new()) };
        Self { audit_retention_hour: hours, dry_run: false, include_operations, include_event_types }
    }

    /// The parameters of a schedule.
    pub fn shown(job: &Job) -> Self {
        job.parameters()
    }

    /// The operations or events whose entries a version deletes.
    pub fn selected(&self, version: Version) -> BTreeSet<String> {
        let list = if version.has(Feature::AuditEventTypes) {
            &self.include_event_types
        } else {
            &self.include_operations
        };
        list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// Whether a schedule has these parameters. A schedule from before 2.13 has no events and purges nothing after an
    /// upgrade, so it differs.
    pub fn are_shown(&self, job: &Job) -> bool {
        let shown = Self::shown(job);
        let set = |list: &str| list.split(',').map(|word| word.trim().to_owned()).collect::<BTreeSet<_>>();
        self.audit_retention_hour == shown.audit_retention_hour
            && self.dry_run == shown.dry_run
            && set(&self.include_operations) == set(&shown.include_operations)
            && set(&self.include_event_types) == set(&shown.include_event_types)
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Parameters};
    use crate::Version;
    use serde_json::{Value, json};

    const OLD: Version = Version::new(2, 12, 0);
    const NEW: Version = Version::new(2, 13, 0);

    fn shown(parameters: Value) -> Job {
        serde_json::from_value(json!({"id": 20, "job_parameters": parameters.to_string()})).unwrap()
    }

    #[test]
    fn the_name_of_the_list_depends_on_the_version() {
        let sent = |version| serde_json::to_value(Parameters::new(version, 24, ["create", "pull"])).unwrap();
        let operations =
            json!({"audit_retention_hour": 24, "dry_run": false, "include_operations": "create,pull"});
        let events =
            json!({"audit_retention_hour": 24, "dry_run": false, "include_event_types": "create,pull"});
        assert_eq!((sent(OLD), sent(NEW)), (operations, events));
    }

    #[test]
    fn a_schedule_from_before_the_upgrade_differs() {
        let job = shown(json!({"audit_retention_hour": 24, "include_operations": "pull,create"}));
        assert!(Parameters::new(OLD, 24, ["create", "pull"]).are_shown(&job));
        assert!(!Parameters::new(NEW, 24, ["create_artifact"]).are_shown(&job));
    }
}
