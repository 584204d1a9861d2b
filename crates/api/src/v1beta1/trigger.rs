//! When a policy runs.

use super::cron::CronExpression;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a policy runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.cron) == (self.type == 'scheduled')")
    .message("trigger.cron: is required with type scheduled and only then; add or remove it"))]
pub struct Trigger {
    /// manual, eventBased or scheduled.
    #[serde(rename = "type")]
    pub type_: TriggerType,

    /// Cron with six fields, in UTC, such as `0 0 3 * * *`. Required with scheduled. The minute cannot be `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("!self.startsWith('0 * ')")
        .message("trigger.cron: Harbor refuses * as the minute; write a minute, or */5 for every fifth"))]
    pub cron: Option<CronExpression>,
}

/// What starts a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TriggerType {
    /// Someone asks for it.
    #[default]
    Manual,
    /// An artifact is pushed or deleted.
    EventBased,
    /// It is time.
    Scheduled,
}

impl TriggerType {
    /// The type as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::EventBased => "event_based",
            Self::Scheduled => "scheduled",
        }
    }
}
