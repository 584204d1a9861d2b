//! What a HarborTask runs.

use crate::v1beta1::{
    harborconfiguration::schedules::{self, AuditPurgeParameters, GarbageCollectionParameters},
    name::ObjectName,
    project_reference::{self, ProjectReference},
};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Deletes blobs that no artifact uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GarbageCollectionTask {
    /// How it runs.
    #[serde(flatten)]
    pub parameters: GarbageCollectionParameters,

    /// Whether Harbor only reports what it would delete. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Scans all images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanAllTask {}

/// Runs a replication policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.replicationRef) != has(self.policyName)")
    .message("replication: exactly one of replicationRef and policyName is required; keep one"))]
pub struct ReplicationTask {
    /// Name of the HarborReplication in the same namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication_ref: Option<ObjectName>,

    /// Name of the replication policy in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub policy_name: Option<String>,
}

/// Runs the retention policy of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = project_reference::exactly_one())]
pub struct RetentionTask {
    /// The project.
    #[serde(flatten)]
    pub project: ProjectReference,

    /// Whether Harbor only reports what it would delete. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Deletes old entries of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = schedules::entries_are_chosen())]
pub struct AuditPurgeTask {
    /// What it deletes.
    #[serde(flatten)]
    pub parameters: AuditPurgeParameters,

    /// Whether Harbor only reports what it would delete. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}
