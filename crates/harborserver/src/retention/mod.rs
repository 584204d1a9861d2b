//! Retention policies: which artifacts of a project stay.

mod change;
mod executions;
mod metadata;
mod read;
pub(crate) mod request;

use crate::{
    jobs::{Vendor, next_run},
    projects::Project,
    rest::{Route, Shown},
    state::{Data, Id},
    version::{Change, Version},
};
use jiff::Timestamp;
use request::RuleRequest;
use serde_json::{Value, json};

/// The endpoints of retention.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/retentions/metadatas", metadata::read),
    Route::post("/retentions", change::create),
    Route::get("/retentions/{id}", read::read),
    Route::put("/retentions/{id}", change::update),
    Route::delete("/retentions/{id}", change::delete),
    Route::post("/retentions/{id}/executions", executions::start).text(),
    Route::get("/retentions/{id}/executions", executions::list),
    Route::patch("/retentions/{id}/executions/{eid}", executions::stop),
    Route::get("/retentions/{id}/executions/{eid}/tasks", executions::tasks),
    Route::get("/retentions/{id}/executions/{eid}/tasks/{tid}", executions::log).text(),
];

/// Which artifacts of a project stay. Most of it is stored as it is sent.
#[derive(Clone)]
pub(crate) struct RetentionPolicy {
    pub project: Id<Project>,
    algorithm: String,
    rules: Vec<RuleRequest>,
    trigger: String,
    /// None where the body had none: deleting such a policy makes Harbor crash.
    cron: Option<String>,
}

impl RetentionPolicy {
    /// What a proxy project begins with: keep what was pulled within a week.
    pub fn of_proxy(project: Id<Project>) -> Self {
        Self {
            project,
            algorithm: "or".to_owned(),
            rules: vec![RuleRequest::of_proxy()],
            trigger: "Schedule".to_owned(),
            cron: Some("0 0 0 * * *".to_owned()),
        }
    }

    fn cron(&self) -> Option<&str> {
        self.cron.as_deref().filter(|cron| !cron.is_empty())
    }

    fn show(&self, id: Id<Self>, version: Version, now: Timestamp) -> Value {
        let mut settings = Shown::new();
        if let Some(cron) = &self.cron {
            settings = settings.with("cron", cron.as_str());
        }
        if let Some(cron) = self.cron().filter(|_| version.has(Change::ShowsNextRun)) {
            settings = settings.with("next_scheduled_time", next_run(cron, version, now));
        }
        json!({
            "id": id.number(),
            "algorithm": self.algorithm,
            "rules": self.rules.iter().map(RuleRequest::show).collect::<Vec<_>>(),
            "scope": { "level": "project", "ref": self.project.number() },
            "trigger": { "kind": self.trigger, "settings": Value::from(settings) },
        })
    }
}

impl Data {
    /// Stores a policy, schedules it, and tells its project.
    pub fn insert_retention(&mut self, policy: RetentionPolicy, now: Timestamp) -> Id<RetentionPolicy> {
        let (project, cron) = (policy.project, policy.cron().map(str::to_owned));
        let id = self.retention_policies.insert(policy);
        if let Some(project) = self.projects.get_mut(project) {
            project.metadata.insert("retention_id".to_owned(), id.to_string());
        }
        if let Some(cron) = cron {
            self.jobs.schedule(Vendor::Retention, id.number(), &cron, now);
        }
        id
    }

    /// Deletes a policy with its schedule and its history.
    pub fn delete_retention(&mut self, id: Id<RetentionPolicy>) {
        if let Some(policy) = self.retention_policies.remove(id)
            && let Some(project) = self.projects.get_mut(policy.project)
        {
            project.metadata.remove("retention_id");
        }
        self.jobs.unschedule(Vendor::Retention, id.number());
        self.jobs.forget(Vendor::Retention, id.number());
    }
}
