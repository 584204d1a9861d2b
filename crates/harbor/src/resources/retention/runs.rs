//! What a version offers for retention, and what its runs did.

use super::Template;
use crate::{ExecutionId, RetentionId, TaskId};
use jiff::Timestamp;
use serde::Deserialize;

/// The rules that a version offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RetentionMetadata {
    /// The templates.
    pub templates: Vec<TemplateMetadata>,
}

/// A template that a version offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TemplateMetadata {
    /// The template.
    pub rule_template: Template,
    /// How it is shown.
    pub display_text: String,
    /// What it does.
    pub action: String,
}

/// A run of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RetentionExecution {
    /// Its number.
    pub id: ExecutionId,
    /// The policy.
    pub policy_id: RetentionId,
    /// How it stands.
    pub status: String,
    /// What started it.
    pub trigger: String,
    /// Whether it deletes nothing.
    pub dry_run: bool,
    /// When it began.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub start_time: Option<Timestamp>,
    /// When it ended.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub end_time: Option<Timestamp>,
}

/// A task of a run: one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RetentionTask {
    /// Its number.
    pub id: TaskId,
    /// The run.
    pub execution_id: ExecutionId,
    /// The repository.
    pub repository: String,
    /// How it stands.
    pub status: String,
    /// How many artifacts there were.
    pub total: i64,
    /// How many of them are kept.
    pub retained: i64,
}
