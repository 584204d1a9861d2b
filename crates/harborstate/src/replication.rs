//! Replication policies: copies of artifacts to and from other registries.

use crate::state::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A replication policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Replication {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether artifacts are copied to the other registry or from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The name of the endpoint of the other registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<String>,
    /// The namespace at the destination; that of the source if empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dest_namespace: Option<String>,
    /// How many levels of the name it replaces: 0 to 3, or -1 for all but the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dest_namespace_replace_count: Option<i8>,
    /// What starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Which artifacts are copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<BTreeSet<Filter>>,
    /// Whether deletions are replicated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion: Option<bool>,
    /// Whether artifacts at the destination are overwritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#override: Option<bool>,
    /// Whether it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The maximum speed in KB per second; 0 is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<i32>,
    /// Whether blobs are copied in chunks, from 2.7 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_by_chunk: Option<bool>,
    /// Whether a second run is refused while one is under way, from 2.14 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_active_replication: Option<bool>,
}

/// Where artifacts are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From this Harbor to the other registry.
    Push,
    /// From the other registry to this Harbor.
    Pull,
}

/// What starts a replication.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trigger {
    /// `manual`, `event_based` or `scheduled`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it runs, in six fields; empty unless scheduled.
    pub cron: String,
}

/// A condition that an artifact must meet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Filter {
    /// The name of the repository matches a pattern.
    Name {
        /// The pattern.
        pattern: String,
    },
    /// A tag matches a pattern.
    Tag {
        /// The pattern.
        pattern: String,
        /// Whether tags that match are left out instead.
        excludes: bool,
    },
    /// It has all of these labels.
    Label {
        /// The labels.
        labels: BTreeSet<String>,
        /// Whether artifacts with these labels are left out instead.
        excludes: bool,
    },
    /// It is of a kind.
    Resource {
        /// `image`, `artifact`, and `chart` until 2.7.
        resource: String,
    },
}

/// What Harbor adds to a replication policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
}

impl State for Replication {
    type Facts = Facts;
    const COLLECTION: &'static str = "replication";
}
