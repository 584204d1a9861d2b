//! Executions of what Harbor runs in the background. Each belongs to one object of the operator, and is listed by itself.

use crate::state::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, fmt};

/// What is executed, and with which parameters. An execution never changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Execution {
    /// Whether nothing is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Whether a garbage collection deletes untagged artifacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_untagged: Option<bool>,
    /// How many blobs a garbage collection deletes at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u8>,
    /// Whether a garbage collection deletes tags in the storage of the registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_tag: Option<bool>,
    /// How many hours a purge keeps entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_hours: Option<u32>,
    /// The operations or events whose entries a purge deletes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<BTreeSet<String>>,
}

/// How an execution stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number; 0 for a scan, which has none.
    pub id: i64,
    /// Its status, in Harbor's words.
    pub status: String,
    /// Whether it has ended.
    pub progress: Progress,
    /// When it began, in seconds since 1970.
    pub started: Option<i64>,
    /// When it ended, in seconds since 1970.
    pub ended: Option<i64>,
    /// What Harbor counts, such as artifacts.
    pub result: String,
}

/// Whether an execution has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Not yet.
    #[default]
    Running,
    /// With success.
    Succeeded,
    /// Without.
    Failed,
}

impl State for Execution {
    type Facts = Facts;
    const COLLECTION: &'static str = "execution";
    const COMPARABLE: plan::Comparable = as_desired;
}

fn as_desired(desired: &Value, _: &Value) -> Value {
    desired.clone()
}

/// What Harbor executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// A garbage collection.
    GarbageCollection,
    /// A scan of all artifacts.
    ScanAll,
    /// A purge of the audit log.
    AuditPurge,
    /// The replication policy of this name.
    Replication(String),
    /// The retention policy of this project.
    Retention(String),
}

/// Which execution of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first one that was started by hand in this second since 1970, or later.
    Since(i64),
    /// The one with this number.
    Number(i64),
}

/// Names an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// What is executed.
    pub job: Job,
    /// Which execution of it.
    pub which: Which,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.job {
            Job::GarbageCollection => f.write_str("garbage-collection")?,
            Job::ScanAll => f.write_str("scan-all")?,
            Job::AuditPurge => f.write_str("audit-purge")?,
            Job::Replication(policy) => write!(f, "replication/{policy}")?,
            Job::Retention(project) => write!(f, "retention/{project}")?,
        }
        match self.which {
            Which::Since(second) => write!(f, "@{second}"),
            Which::Number(number) => write!(f, "#{number}"),
        }
    }
}

impl Name {
    /// What a name stands for; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let at = text.rfind(['@', '#'])?;
        let number = text[at + 1..].parse().ok()?;
        let which = if text[at..].starts_with('@') { Which::Since(number) } else { Which::Number(number) };
        let job = match text[..at].split_once('/') {
            None if &text[..at] == "garbage-collection" => Job::GarbageCollection,
            None if &text[..at] == "scan-all" => Job::ScanAll,
            None if &text[..at] == "audit-purge" => Job::AuditPurge,
            Some(("replication", policy)) => Job::Replication(policy.to_owned()),
            Some(("retention", project)) => Job::Retention(project.to_owned()),
            _ => return None,
        };
        Some(Self { job, which })
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Name, Which};

    #[test]
    fn names_are_read_back_and_other_texts_are_refused() {
        let jobs = [
            Job::GarbageCollection,
            Job::ScanAll,
            Job::AuditPurge,
            Job::Replication("nightly@home/#1".into()),
            Job::Retention("alpha".into()),
        ];
        for job in jobs {
            for which in [Which::Since(1_700_000_000), Which::Number(7)] {
                let name = Name { job: job.clone(), which };
                assert_eq!(Name::parse(&name.to_string()), Some(name));
            }
        }
        for text in ["", "garbage-collection", "scan-all@x", "other@1", "other/alpha@1"] {
            assert_eq!(Name::parse(text), None, "{text}");
        }
    }
}
