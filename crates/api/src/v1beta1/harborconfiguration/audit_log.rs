//! What Harbor does with its audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What Harbor does with its audit log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditLogSettings {
    /// Syslog server, as host:port, to which Harbor sends the audit log over TCP. Harbor refuses one that it cannot
    /// reach. Empty for none. Harbor 2.6 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_log_forward_endpoint: Option<String>,

    /// Whether Harbor keeps the audit log out of the database. Requires `auditLogForwardEndpoint`. Harbor 2.6 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_audit_log_database: Option<bool>,

    /// Events that Harbor does not log, such as `pull_artifact`. Harbor 2.13 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub disabled_audit_log_event_types: Option<Vec<EventType>>,
}

/// The name of an event in Harbor's audit log, such as `create_artifact`. `GET /auditlog-exts/events` lists them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct EventType(
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[a-z]+(_[a-z]+)*$"))] pub String,
);

impl EventType {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EventType {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}
