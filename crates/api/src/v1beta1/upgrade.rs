//! What an upgrade may do without being asked.

use super::{duration::GoDuration, name::ObjectName};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an upgrade may do without being asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeSpec {
    /// How many hops one change of `version` may lead to. Harbor supports an upgrade over two minor releases at most, so a
    /// longer one goes over other versions. With One, the operator refuses a version that needs more than one hop. All by
    /// default.
    #[serde(default)]
    pub hops: Hops,

    /// Whether the operator stops Core while it migrates the database, in hops whose schema breaks Core of the version
    /// before: those to or over 2.8, 2.9, 2.11 and 2.13. With Refused, it refuses a version that needs such a hop. Allowed
    /// by default.
    #[serde(default)]
    pub downtime: Downtime,

    /// How long a hop that migrates the database waits until no job runs in JobService, such as 1h. The operator then stops
    /// JobService, and jobs that still run are interrupted. With 0s, it does not wait. 10m by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_timeout: Option<GoDuration>,

    /// A backup that the operator has made before each hop that migrates the database. Harbor cannot undo a migration. None
    /// unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupSpec>,
}

/// A backup before each hop that migrates the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupSpec {
    /// CronJob in the same namespace that makes backups. Before a hop, the operator creates a Job from its template, and waits
    /// until the Job is complete. If the Job fails, the hop does not begin. A CronJob that is only for upgrades may be
    /// suspended.
    pub cron_job_ref: ObjectName,

    /// How long the Job may take, such as 2h. It fails afterwards. As in the template of the CronJob unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<GoDuration>,
}

/// How many hops one change of the version may lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Hops {
    /// As many as it takes.
    #[default]
    All,
    /// One.
    One,
}

/// Whether Core may be stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Downtime {
    /// It may.
    #[default]
    Allowed,
    /// It may not.
    Refused,
}
