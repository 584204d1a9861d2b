//! Webhooks: HTTP requests that Harbor sends when something happens in a project.

mod change;
mod events;
mod executions;
mod read;
mod request;

pub(crate) use events::{Event, Occurrence};

use crate::{
    clock::date_time,
    projects::Project,
    rest::{Column, Route, Row, Shown},
    state::Id,
    version::{Change, Version},
};
use jiff::Timestamp;
use request::TargetRequest;
use serde_json::Value;
use std::collections::BTreeMap;

/// The endpoints of webhooks.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/projects/{project_name_or_id}/webhook/policies", read::list),
    Route::post("/projects/{project_name_or_id}/webhook/policies", change::create),
    Route::get("/projects/{project_name_or_id}/webhook/policies/{webhook_policy_id}", read::read),
    Route::put("/projects/{project_name_or_id}/webhook/policies/{webhook_policy_id}", change::update),
    Route::delete("/projects/{project_name_or_id}/webhook/policies/{webhook_policy_id}", change::delete),
    Route::get(
        "/projects/{project_name_or_id}/webhook/policies/{webhook_policy_id}/executions",
        executions::list,
    )
    .since(8),
    Route::get("/projects/{project_name_or_id}/webhook/lasttrigger", read::last_triggers),
    Route::get("/projects/{project_name_or_id}/webhook/events", events::list),
];

/// Which events of a project are sent, and where to.
#[derive(Clone)]
pub(crate) struct WebhookPolicy {
    pub project: Id<Project>,
    name: String,
    description: String,
    enabled: bool,
    event_types: Vec<String>,
    targets: Vec<TargetRequest>,
    /// Unset by an update: Harbor writes the zero time.
    created: Option<Timestamp>,
    updated: Timestamp,
    /// When each event last triggered it.
    triggered: BTreeMap<String, Timestamp>,
}

impl WebhookPolicy {
    /// Removes the events of charts, as the migration to 2.8 does. A policy without events is disabled.
    pub fn drop_chart_events(&mut self) {
        self.event_types.retain(|event| !events::CHARTS.contains(&event.as_str()));
        self.enabled &= !self.event_types.is_empty();
    }

    fn show(&self, id: Id<Self>, version: Version) -> Value {
        let formats = version.has(Change::WebhookExecutions);
        Shown::new()
            .with("id", id.number())
            .with("project_id", self.project.number())
            .with("name", self.name.as_str())
            .nonzero("description", self.description.as_str())
            .with("enabled", self.enabled)
            .with("event_types", self.event_types.clone())
            .with("targets", self.targets.iter().map(|target| target.show(formats)).collect::<Vec<_>>())
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
            .into()
    }
}

struct Listed<'a>(Id<WebhookPolicy>, &'a WebhookPolicy);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "enabled" => Some(Column::Flag(self.1.enabled)),
            "creationtime" => Some(Column::Time(self.1.created)),
            "updatetime" => Some(Column::Time(Some(self.1.updated))),
            _ => None,
        }
    }
}
