//! Webhooks of a project.

use crate::v1beta1::secret_reference::SecretKeyReference;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where Harbor reports events of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookPolicy {
    /// Name of the webhook within the project.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,

    /// What the webhook is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Whether Harbor reports events. Defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,

    /// Events that Harbor reports.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub event_types: Vec<WebhookEvent>,

    /// Receivers of the events.
    #[schemars(length(min = 1, max = 8))]
    pub targets: Vec<WebhookTarget>,
}

/// An event that Harbor reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WebhookEvent {
    /// An artifact was pushed.
    PushArtifact,
    /// An artifact was pulled.
    PullArtifact,
    /// An artifact was deleted.
    DeleteArtifact,
    /// A push exceeded the quota.
    QuotaExceed,
    /// The quota is almost used up.
    QuotaWarning,
    /// A scan failed.
    ScanningFailed,
    /// A scan was stopped.
    ScanningStopped,
    /// A scan was completed.
    ScanningCompleted,
    /// A replication ended.
    Replication,
    /// A retention policy ran.
    TagRetention,
    /// A chart was pushed. Harbor before 2.8.
    UploadChart,
    /// A chart was pulled. Harbor before 2.8.
    DownloadChart,
    /// A chart was deleted. Harbor before 2.8.
    DeleteChart,
}

impl WebhookEvent {
    /// The event as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PushArtifact => "PUSH_ARTIFACT",
            Self::PullArtifact => "PULL_ARTIFACT",
            Self::DeleteArtifact => "DELETE_ARTIFACT",
            Self::QuotaExceed => "QUOTA_EXCEED",
            Self::QuotaWarning => "QUOTA_WARNING",
            Self::ScanningFailed => "SCANNING_FAILED",
            Self::ScanningStopped => "SCANNING_STOPPED",
            Self::ScanningCompleted => "SCANNING_COMPLETED",
            Self::Replication => "REPLICATION",
            Self::TagRetention => "TAG_RETENTION",
            Self::UploadChart => "UPLOAD_CHART",
            Self::DownloadChart => "DOWNLOAD_CHART",
            Self::DeleteChart => "DELETE_CHART",
        }
    }
}

/// A receiver of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("!has(self.payloadFormat) || self.type == 'http'")
    .message("payloadFormat: is only for type http; remove it"))]
pub struct WebhookTarget {
    /// Protocol of the receiver.
    #[serde(rename = "type")]
    pub type_: WebhookTargetType,

    /// URL of the receiver.
    #[schemars(regex(pattern = r"^https?://\S+$"))]
    pub address: String,

    /// Secret with the value of the header `Authorization`. The key defaults to `authHeader`. Administrators of the
    /// project can read the value in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_header_ref: Option<SecretKeyReference>,

    /// Whether Harbor does not check the receiver's certificate. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_cert_verify: Option<bool>,

    /// Format of the events. Harbor 2.8 and later. Defaults to Default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_format: Option<PayloadFormat>,
}

/// Protocol of a receiver of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookTargetType {
    /// HTTP requests with JSON.
    Http,
    /// Messages to Slack.
    Slack,
}

/// Format of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PayloadFormat {
    /// Harbor's own format.
    #[default]
    Default,
    /// CloudEvents 1.0.
    CloudEvents,
}
