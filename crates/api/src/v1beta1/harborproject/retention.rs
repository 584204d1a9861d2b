//! Which artifacts of a project Harbor keeps when it cleans up.

use crate::v1beta1::{
    artifact_selector::{RepositorySelector, TagSelector},
    cron::CronExpression,
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which artifacts of a project Harbor keeps when it cleans up. It deletes artifacts that no rule keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionPolicy {
    /// When Harbor cleans up: cron with six fields, in UTC, such as `0 0 3 * * *`. Only on demand unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<CronExpression>,

    /// Rules, each of which keeps artifacts. With none, Harbor deletes nothing.
    #[schemars(length(max = 15))]
    pub rules: Vec<RetentionRule>,
}

/// Artifacts to keep: exactly one of latestPushedK, latestPulledN, nDaysSinceLastPush, nDaysSinceLastPull and always.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "[has(self.latestPushedK), has(self.latestPulledN), has(self.nDaysSinceLastPush), \
         has(self.nDaysSinceLastPull), has(self.always)].filter(set, set).size() == 1 \
         && (!has(self.always) || self.always)")
    .message("rules: exactly one of latestPushedK, latestPulledN, nDaysSinceLastPush, nDaysSinceLastPull and always: true is required; keep one"))]
pub struct RetentionRule {
    /// Keeps this many artifacts that were pushed last.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "latestPushedK")]
    #[schemars(range(min = 1))]
    pub latest_pushed_k: Option<i32>,

    /// Keeps this many artifacts that were pulled last.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "latestPulledN")]
    #[schemars(range(min = 1))]
    pub latest_pulled_n: Option<i32>,

    /// Keeps artifacts that were pushed within this many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub n_days_since_last_push: Option<i32>,

    /// Keeps artifacts that were pulled within this many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub n_days_since_last_pull: Option<i32>,

    /// Keeps all artifacts. Only true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always: Option<bool>,

    /// Repositories the rule is about. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<RepositorySelector>,

    /// Tags the rule is about. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<TagSelector>,

    /// Whether Harbor ignores the rule. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}
