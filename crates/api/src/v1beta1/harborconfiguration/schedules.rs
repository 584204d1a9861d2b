//! When Harbor collects garbage, scans all images and purges the audit log.

use super::audit_log::EventType;
use crate::v1beta1::cron::CronExpression;
use kube::{KubeSchema, core::Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a Harbor does on schedules. What is absent keeps its schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemSchedules {
    /// When Harbor deletes blobs that no artifact uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garbage_collection: Option<GarbageCollectionSchedule>,

    /// When Harbor scans all images. Requires a scanner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_all: Option<ScanAllSchedule>,

    /// When Harbor deletes old entries of the audit log. Harbor 2.6 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_purge: Option<AuditPurgeSchedule>,
}

/// When Harbor deletes blobs that no artifact uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GarbageCollectionSchedule {
    /// When it runs.
    pub schedule: Schedule,

    /// How it runs.
    #[serde(flatten)]
    pub parameters: GarbageCollectionParameters,
}

/// How Harbor collects garbage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GarbageCollectionParameters {
    /// Whether Harbor deletes artifacts without a tag too. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_untagged: Option<bool>,

    /// Number of workers that delete at the same time. Harbor 2.9 and later; at most 5 in 2.9. Defaults to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub workers: Option<i32>,

    /// Whether Harbor deletes tags in the storage too. Harbor 2.15 and later. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_tag: Option<bool>,
}

/// When Harbor scans all images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanAllSchedule {
    /// When it runs.
    pub schedule: Schedule,
}

/// When Harbor deletes old entries of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = entries_are_chosen())]
pub struct AuditPurgeSchedule {
    /// When it runs.
    pub schedule: Schedule,

    /// What it deletes.
    #[serde(flatten)]
    pub parameters: AuditPurgeParameters,
}

/// Which entries of the audit log Harbor deletes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPurgeParameters {
    /// Hours for which Harbor keeps entries.
    #[schemars(range(min = 0, max = 240_000))]
    pub retention_hours: i64,

    /// Operations whose entries Harbor 2.6 to 2.12 deletes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 3), extend("x-kubernetes-list-type" = "set"))]
    pub operations: Option<Vec<AuditOperation>>,

    /// Events whose entries Harbor 2.13 and later deletes, such as `pull_artifact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub event_types: Option<Vec<EventType>>,
}

/// The rule that entries to delete are chosen. A struct that inlines [`AuditPurgeParameters`] adds it.
pub(crate) fn entries_are_chosen() -> Rule {
    Rule::new("has(self.operations) || has(self.eventTypes)").message(
        "auditPurge: operations or eventTypes is required; add eventTypes, or operations before Harbor 2.13",
    )
}

/// An operation in the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditOperation {
    /// Something was created.
    Create,
    /// Something was deleted.
    Delete,
    /// Something was pulled.
    Pull,
}

impl AuditOperation {
    /// The operation as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Pull => "pull",
        }
    }
}

/// When something runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "(self.type != 'None' || !has(self.cron)) && (self.type != 'Custom' || has(self.cron))")
    .message("schedule.cron: is required with type Custom and not allowed with type None; add or remove it"))]
pub struct Schedule {
    /// Hourly, Daily, Weekly, Custom or None. None removes the schedule.
    #[serde(rename = "type")]
    pub type_: ScheduleType,

    /// Cron with six fields, in UTC, such as `0 0 3 * * *`. Required with Custom. Defaults to the start of each hour, day
    /// or week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<CronExpression>,
}

/// How a schedule is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScheduleType {
    /// Each hour.
    Hourly,
    /// Each day.
    Daily,
    /// Each week.
    Weekly,
    /// As the cron expression says.
    Custom,
    /// Never: Harbor removes the schedule.
    #[default]
    None,
}

impl ScheduleType {
    /// The type as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hourly => "Hourly",
            Self::Daily => "Daily",
            Self::Weekly => "Weekly",
            Self::Custom => "Custom",
            Self::None => "None",
        }
    }
}
