//! Webhooks of a project.

use super::{in_project::InProject, is_false};
use crate::{
    Deletion, Secret, Version, WebhookId, client::Filter, error::Error, version::Span, words::words,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

impl<'h> InProject<'h> {
    /// The webhooks of the project.
    pub fn webhooks(self) -> Webhooks<'h> {
        Webhooks { project: self }
    }
}

/// Calls about webhooks. A webhook is identified by its name.
#[derive(Clone, Copy, Debug)]
pub struct Webhooks<'h> {
    project: InProject<'h>,
}

const WEBHOOKS: &str = "webhook";
const POLICIES: &str = "policies";

impl Webhooks<'_> {
    /// All webhooks.
    pub async fn list(&self) -> Result<Vec<Webhook>, Error> {
        self.project.harbor().get(self.project.path(WEBHOOKS).then(POLICIES)).pages().await
    }

    /// The webhook with this name.
    pub async fn find(&self, name: &str) -> Result<Option<Webhook>, Error> {
        let call = self.project.harbor().get(self.project.path(WEBHOOKS).then(POLICIES));
        let found: Vec<Webhook> = call.filter(&Filter::default().exact("name", name)).pages().await?;
        Ok(found.into_iter().find(|webhook| webhook.policy.name == name))
    }

    /// Creates a webhook.
    pub async fn create(&self, policy: &WebhookPolicy) -> Result<WebhookId, Error> {
        let path = self.project.path(WEBHOOKS).then(POLICIES);
        self.project.harbor().post(path).body(policy).created().await
    }

    /// Replaces a webhook.
    pub async fn replace(&self, id: WebhookId, policy: &WebhookPolicy) -> Result<(), Error> {
        let path = self.project.path(WEBHOOKS).then(POLICIES).id(id);
        self.project.harbor().put(path).body(policy).done().await
    }

    /// Deletes a webhook.
    pub async fn delete(&self, id: WebhookId) -> Result<Deletion, Error> {
        self.project.harbor().delete(self.project.path(WEBHOOKS).then(POLICIES).id(id)).gone().await
    }

    /// What webhooks of this version can do.
    pub async fn supported(&self) -> Result<SupportedEvents, Error> {
        self.project.harbor().get(self.project.path(WEBHOOKS).then("events")).json().await
    }
}

words! {
    /// An event that a webhook tells about.
    pub enum EventType {
        /// An artifact was pushed.
        PushArtifact = "PUSH_ARTIFACT",
        /// An artifact was pulled.
        PullArtifact = "PULL_ARTIFACT",
        /// An artifact was deleted.
        DeleteArtifact = "DELETE_ARTIFACT",
        /// A push exceeded the quota.
        QuotaExceed = "QUOTA_EXCEED",
        /// The quota is nearly used up.
        QuotaWarning = "QUOTA_WARNING",
        /// A scan failed.
        ScanningFailed = "SCANNING_FAILED",
        /// A scan was stopped.
        ScanningStopped = "SCANNING_STOPPED",
        /// A scan ended.
        ScanningCompleted = "SCANNING_COMPLETED",
        /// A replication changed its status.
        Replication = "REPLICATION",
        /// A retention run ended.
        TagRetention = "TAG_RETENTION",
        /// A chart was uploaded.
        UploadChart = "UPLOAD_CHART",
        /// A chart was downloaded.
        DownloadChart = "DOWNLOAD_CHART",
        /// A chart was deleted.
        DeleteChart = "DELETE_CHART",
    }
}

impl EventType {
    /// Whether a version knows it. Harbor refuses unknown ones.
    pub fn is_in(&self, version: Version) -> bool {
        let span = match self {
            Self::UploadChart | Self::DownloadChart | Self::DeleteChart => Span::before(8),
            Self::Other(_) => return false,
            Self::PushArtifact
            | Self::PullArtifact
            | Self::DeleteArtifact
            | Self::QuotaExceed
            | Self::QuotaWarning
            | Self::ScanningFailed
            | Self::ScanningStopped
            | Self::ScanningCompleted
            | Self::Replication
            | Self::TagRetention => Span::ALWAYS,
        };
        span.contains(version)
    }
}

words! {
    /// What a webhook is sent to.
    pub enum TargetType {
        /// An HTTP server.
        Http = "http",
        /// A channel of Slack.
        Slack = "slack",
    }
}

words! {
    /// The form of the message, from 2.8 on; only for HTTP servers.
    pub enum PayloadFormat {
        /// Harbor's own.
        Default = "Default",
        /// CloudEvents.
        CloudEvents = "CloudEvents",
    }
}

/// A webhook as Harbor shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Webhook {
    /// Its number.
    pub id: WebhookId,
    /// The rest of it.
    #[serde(flatten)]
    pub policy: WebhookPolicy,
}

/// A webhook to create, or to replace another with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebhookPolicy {
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// Whether it is on.
    pub enabled: bool,
    /// At least one event. Order does not matter.
    pub event_types: BTreeSet<EventType>,
    /// At least one target.
    pub targets: Vec<Target>,
}

/// Where a webhook is sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// What is there.
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// Its address, which Harbor stores as it is.
    pub address: String,
    /// The value of the header `Authorization`. Harbor shows it to all administrators of the project.
    #[serde(skip_serializing_if = "Secret::is_empty")]
    pub auth_header: Secret,
    /// Whether its certificate is not checked.
    #[serde(skip_serializing_if = "is_false")]
    pub skip_cert_verify: bool,
    /// The form of the message.
    #[serde(skip_serializing_if = "PayloadFormat::is_unset")]
    pub payload_format: PayloadFormat,
}

impl WebhookPolicy {
    /// Whether two webhooks send the same to the same targets.
    pub fn is_as(&self, other: &Self) -> bool {
        self.normal() == other.normal()
    }

    /// Harbor stores a default for the format.
    fn normal(&self) -> Self {
        let targets = self.targets.iter().cloned().map(|target| {
            let unset = target.kind == TargetType::Http && target.payload_format.is_unset();
            let payload_format = if unset { PayloadFormat::Default } else { target.payload_format };
            Target { payload_format, ..target }
        });
        Self { targets: targets.collect(), ..self.clone() }
    }
}

/// What webhooks of a version can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SupportedEvents {
    /// The events.
    #[serde(rename = "event_type")]
    pub events: Vec<EventType>,
    /// The targets.
    #[serde(rename = "notify_type")]
    pub targets: Vec<TargetType>,
}

#[cfg(test)]
mod tests {
    use super::{EventType, PayloadFormat, Target, TargetType, Webhook, WebhookPolicy};
    use crate::Version;
    use serde_json::json;

    fn hook(format: PayloadFormat) -> WebhookPolicy {
        WebhookPolicy {
            name: "hook".into(),
            description: "d".into(),
            enabled: true,
            event_types: [EventType::PushArtifact, EventType::DeleteArtifact].into(),
            targets: vec![Target {
                kind: TargetType::Http,
                address: "http://standin.example.com:8090/hook?token=abc".into(),
                auth_header: "Bearer x".into(),
                skip_cert_verify: true,
                payload_format: format,
            }],
        }
    }

    #[test]
    fn the_format_that_harbor_fills_in_is_no_difference() {
        let shown: Webhook = serde_json::from_value(json!({
            "creation_time": "0001-01-01T00:00:00.000Z", "description": "d", "enabled": true,
            "event_types": ["DELETE_ARTIFACT", "PUSH_ARTIFACT"], "id": 1, "name": "hook", "project_id": 2,
            "targets": [{
                "address": "http://standin.example.com:8090/hook?token=abc", "auth_header": "Bearer x",
                "payload_format": "Default", "skip_cert_verify": true, "type": "http",
            }],
        }))
        .unwrap();
        assert!(hook(PayloadFormat::default()).is_as(&shown.policy));
        assert!(!hook(PayloadFormat::CloudEvents).is_as(&shown.policy));
    }

    #[test]
    fn a_webhook_shows_no_authorization() {
        let shown = format!("{:?}", hook(PayloadFormat::Default));
        assert!(!shown.contains("Bearer x"), "{shown}");
    }

    #[test]
    fn events_of_charts_ended_with_charts() {
        let in_version = |minor| EventType::UploadChart.is_in(Version::new(2, minor, 0));
        assert_eq!((in_version(7), in_version(8)), (true, false));
    }
}
