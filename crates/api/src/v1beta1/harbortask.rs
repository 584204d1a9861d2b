//! HarborTask: one execution of something that Harbor runs in the background.

pub mod action;

pub use self::action::{AuditPurgeTask, GarbageCollectionTask, ReplicationTask, RetentionTask, ScanAllTask};

use super::{harbor_target::HarborTarget, managed_object::ManagedObjectStatus, status::Observation};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One execution of something that Harbor runs in the background. The operator runs it once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborTask",
    doc = "One execution of something that Harbor runs in the background: garbage collection, a scan, a replication, a retention policy or a purge. The operator runs it once.",
    namespaced,
    plural = "harbortasks",
    shortname = "ht",
    category = "goharbor",
    status = "HarborTaskStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "State",
        type_ = "string",
        json_path = ".status.state",
        description = "State of the execution"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "[has(self.garbageCollection), has(self.scanAll), has(self.replication), has(self.retention), \
         has(self.auditPurge)].filter(set, set).size() == 1")
    .message("garbageCollection: exactly one of garbageCollection, scanAll, replication, retention and auditPurge is required; keep one"))]
#[x_kube(validation = Rule::new("self == oldSelf")
    .message("spec: cannot change after creation; create another HarborTask"))]
pub struct HarborTaskSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Deletes blobs that no artifact uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garbage_collection: Option<GarbageCollectionTask>,

    /// Scans all images. Requires a scanner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_all: Option<ScanAllTask>,

    /// Runs a replication policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<ReplicationTask>,

    /// Runs the retention policy of a project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionTask>,

    /// Deletes old entries of the audit log. Harbor 2.6 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_purge: Option<AuditPurgeTask>,
}

/// What the operator last observed of a HarborTask.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborTaskStatus {
    /// Id of the execution in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "executionID")]
    pub execution_id: Option<i64>,

    /// State of the execution, as Harbor reports it: Pending, Running, Success, Error or Stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub state: Option<String>,

    /// When the execution started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,

    /// When the execution ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<Time>,

    /// What the execution did, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32_768))]
    pub result: Option<String>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
