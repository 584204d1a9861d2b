//! Schedules of the jobs of the system. They always exist: a job that is not scheduled has the type `None`.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The collection of all three.
pub const COLLECTION: &str = "schedule";

/// The write-only field that makes the driver set a schedule again when its value changes. The address and
/// password of Redis become part of a garbage collection's schedule: give their digest, and what identifies a
/// restore.
pub const SET_AGAIN: &str = "set_again";

/// The type of a job that is not scheduled.
pub const NONE: &str = "None";

/// The type that fits every cron line.
pub const CUSTOM: &str = "Custom";

/// When a job runs. Harbor has its own words for types: `Hourly`, `Daily`, `Weekly`, `Custom` and `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct When {
    /// The type, which is only shown.
    #[serde(rename = "type")]
    pub kind: String,
    /// The cron line of six fields, which counts, in UTC; empty for none.
    pub cron: String,
}

impl When {
    /// At the times of a cron line.
    pub fn cron(cron: &str) -> Self {
        Self { kind: CUSTOM.to_owned(), cron: cron.to_owned() }
    }
}

impl Default for When {
    fn default() -> Self {
        Self { kind: NONE.to_owned(), cron: String::new() }
    }
}

/// The garbage collection: the object [`GarbageCollection::NAME`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GarbageCollection {
    /// When it runs.
    #[serde(flatten)]
    pub when: When,
    /// Whether untagged artifacts are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_untagged: Option<bool>,
    /// How many blobs are deleted at once, from 2.9 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u8>,
    /// Whether tags in the storage of the registry are deleted, from 2.15 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_tag: Option<bool>,
}

/// The scan of all artifacts: the object [`ScanAll::NAME`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScanAll {
    /// When it runs.
    #[serde(flatten)]
    pub when: When,
}

/// The purge of the audit log, from 2.6 on: the object [`AuditPurge::NAME`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditPurge {
    /// When it runs.
    #[serde(flatten)]
    pub when: When,
    /// How many hours entries are kept, at most 240 000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_retention_hour: Option<u32>,
    /// The entries that are deleted: operations (`create`, `delete`, `pull`) before 2.13, then event types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<BTreeSet<String>>,
    /// Whether nothing is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

impl GarbageCollection {
    /// The name of the object.
    pub const NAME: &'static str = "garbage-collection";
}

impl ScanAll {
    /// The name of the object.
    pub const NAME: &'static str = "scan-all";
}

impl AuditPurge {
    /// The name of the object.
    pub const NAME: &'static str = "audit-purge";
}

impl State for GarbageCollection {
    type Facts = NoFacts;
    const COLLECTION: &'static str = COLLECTION;
    const WRITE_ONLY: &'static [&'static str] = &[SET_AGAIN];
}

impl State for ScanAll {
    type Facts = NoFacts;
    const COLLECTION: &'static str = COLLECTION;
    const WRITE_ONLY: &'static [&'static str] = &[SET_AGAIN];
}

impl State for AuditPurge {
    type Facts = NoFacts;
    const COLLECTION: &'static str = COLLECTION;
    const WRITE_ONLY: &'static [&'static str] = &[SET_AGAIN];
}
