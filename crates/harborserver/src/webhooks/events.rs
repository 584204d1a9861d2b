//! Events of projects.

use super::WebhookPolicy;
use crate::{
    call::Call,
    entropy::Entropy,
    failure::Failure,
    jobs::{Run, Trigger, Vendor},
    projects::Project,
    rest::{Reply, Shown},
    state::{Data, Id},
    version::{Change, Version},
};
use jiff::Timestamp;
use serde_json::{Map, json};
use std::time::Duration;

const TYPES: [&str; 10] = [
    "PUSH_ARTIFACT",
    "PULL_ARTIFACT",
    "DELETE_ARTIFACT",
    "QUOTA_EXCEED",
    "QUOTA_WARNING",
    "SCANNING_FAILED",
    "SCANNING_STOPPED",
    "SCANNING_COMPLETED",
    "REPLICATION",
    "TAG_RETENTION",
];

/// Events of charts, which 2.8 removed.
pub(super) const CHARTS: [&str; 3] = ["UPLOAD_CHART", "DOWNLOAD_CHART", "DELETE_CHART"];

/// The events of a version.
pub(super) fn types(version: Version) -> Vec<&'static str> {
    let charts = if version.has(Change::DroppedCharts) { &[][..] } else { &CHARTS };
    TYPES.iter().chain(charts).copied().collect()
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.project("project_name_or_id", "notification-policy", "read")?;
    let formats = json!([{ "notify_type": "http", "formats": ["Default", "CloudEvents"] }]);
    Ok(Reply::json(
        Shown::new()
            .with("event_type", types(call.version()))
            .with("notify_type", vec!["http", "slack"])
            .when(call.has(Change::WebhookExecutions), "payload_formats", formats),
    ))
}

/// An event of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Push,
    Pull,
    Delete,
}

impl Event {
    const fn name(self) -> &'static str {
        match self {
            Self::Push => "PUSH_ARTIFACT",
            Self::Pull => "PULL_ARTIFACT",
            Self::Delete => "DELETE_ARTIFACT",
        }
    }
}

/// An event with its details.
pub(crate) struct Occurrence<'a> {
    pub event: Event,
    pub project: Id<Project>,
    pub operator: &'a str,
    /// With its project.
    pub repository: &'a str,
    pub repository_created: Timestamp,
    pub tag: &'a str,
    pub digest: &'a str,
    /// Host and port of the registry.
    pub host: &'a str,
}

impl Occurrence<'_> {
    /// What an `http` target gets, in the order in which Harbor writes it.
    fn payload(&self, public: bool, now: Timestamp) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let (namespace, name) = self.repository.split_once('/').unwrap_or(("", self.repository));
        let resource = format!("{}/{}:{}", self.host, self.repository, self.tag);
        format!(
            "{{\"type\":{},\"occur_at\":{},\"operator\":{},\"event_data\":{{\"resources\":[{{\"digest\":{},\
             \"tag\":{},\"resource_url\":{}}}],\"repository\":{{\"date_created\":{},\"name\":{},\"namespace\":{},\
             \"repo_full_name\":{},\"repo_type\":{}}}}}}}",
            text(self.event.name()),
            now.as_second(),
            text(self.operator),
            text(self.digest),
            text(self.tag),
            text(&resource),
            self.repository_created.as_second(),
            text(name),
            text(namespace),
            text(self.repository),
            text(if public { "public" } else { "private" }),
        )
    }
}

impl Data {
    /// Triggers the webhooks of an event. Since 2.8, each of them is an execution.
    pub fn trigger_webhooks(
        &mut self,
        occurrence: &Occurrence<'_>,
        entropy: &mut dyn Entropy,
        now: Timestamp,
    ) {
        if !self.configuration.flag("notification_enable", now) {
            return;
        }
        let public = self.projects.get(occurrence.project).is_some_and(Project::is_public);
        let event = occurrence.event.name();
        let wants = |policy: &WebhookPolicy| {
            policy.project == occurrence.project
                && policy.enabled
                && policy.event_types.iter().any(|wanted| wanted == event)
        };
        for (id, policy) in self.webhook_policies.iter_mut().filter(|(_, policy)| wants(policy)) {
            policy.triggered.insert(event.to_owned(), now);
            if !self.version.has(Change::WebhookExecutions) {
                continue;
            }
            for target in &policy.targets {
                let parameters = Map::from_iter([
                    ("event_type".to_owned(), event.into()),
                    ("payload".to_owned(), occurrence.payload(public, now).into()),
                ]);
                let run = Run {
                    vendor: if target.kind == "slack" { Vendor::Slack } else { Vendor::Webhook },
                    vendor_id: id.number(),
                    trigger: Trigger::Event,
                    parameters,
                    tasks: vec![Map::new()],
                    duration: Duration::ZERO,
                };
                self.jobs.run(run, entropy, now);
            }
        }
    }
}
