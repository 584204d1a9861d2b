//! HarborReplication: copies artifacts between a Harbor and another registry.

pub mod filter;

pub use self::filter::{ReplicationFilters, ReplicationResource};

use super::{
    creation_policy::CreationPolicy, harbor_target::HarborTarget, managed_object::ManagedObjectStatus,
    name::ObjectName, object_deletion_policy::ObjectDeletionPolicy, status::Observation, trigger::Trigger,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Copies artifacts between a Harbor and another registry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborReplication",
    doc = "Copies artifacts between a Harbor and another registry.",
    namespaced,
    plural = "harborreplications",
    shortname = "hrp",
    category = "goharbor",
    status = "HarborReplicationStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Policy",
        type_ = "string",
        json_path = ".spec.policyName",
        description = "Name of the replication policy"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "[has(self.sourceRegistryRef), has(self.sourceRegistryName), has(self.destinationRegistryRef), \
         has(self.destinationRegistryName)].filter(set, set).size() == 1")
    .message("sourceRegistryRef: exactly one of sourceRegistryRef, sourceRegistryName, destinationRegistryRef and destinationRegistryName is required; keep one"))]
#[x_kube(validation = Rule::new(
        "!has(self.trigger) || self.trigger.type != 'eventBased' || has(self.destinationRegistryRef) \
         || has(self.destinationRegistryName)")
    .message("trigger.type: eventBased requires a destination registry; use manual or scheduled for a source registry"))]
#[x_kube(validation = Rule::new(
        "!has(self.singleActive) || !self.singleActive || !has(self.trigger) || self.trigger.type != 'eventBased'")
    .message("singleActive: Harbor refuses it with trigger type eventBased; remove it"))]
pub struct HarborReplicationSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the replication policy in Harbor. Cannot change.
    #[schemars(regex(pattern = r"^\S(.*\S)?$"), length(min = 1, max = 256))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("policyName: cannot change after creation; create another HarborReplication"))]
    pub policy_name: String,

    /// What the policy is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Whether the policy runs. Defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,

    /// Name of the HarborRegistryEndpoint in the same namespace from which Harbor copies to itself. Exactly one of the
    /// source and destination fields is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_registry_ref: Option<ObjectName>,

    /// Name in Harbor of the registry endpoint from which Harbor copies to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub source_registry_name: Option<String>,

    /// Name of the HarborRegistryEndpoint in the same namespace to which Harbor copies from itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_registry_ref: Option<ObjectName>,

    /// Name in Harbor of the registry endpoint to which Harbor copies from itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub destination_registry_name: Option<String>,

    /// Namespace or project of the copies. That of the originals unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 255))]
    pub destination_namespace: Option<String>,

    /// How many leading parts of a repository's path `destinationNamespace` replaces: 0 for none, 1 to 3, or -1 for all.
    /// Defaults to -1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 3))]
    pub flattening: Option<i32>,

    /// When the policy runs. Only on demand unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,

    /// What the policy copies. Everything unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<ReplicationFilters>,

    /// Whether Harbor deletes copies of artifacts that are deleted. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion: Option<bool>,

    /// Whether Harbor overwrites artifacts of the same name. Defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "override")]
    pub override_: Option<bool>,

    /// Most KiB per second of each task, 0 for no limit. Defaults to 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub speed_kb: Option<i32>,

    /// Whether Harbor copies blobs in chunks. Harbor 2.7 and later. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_by_chunk: Option<bool>,

    /// Whether Harbor skips a run while the previous one is active. Harbor 2.14 and later. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_active: Option<bool>,

    /// Whether the operator creates the replication policy, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the replication policy in Harbor when this object is deleted. Defaults to Delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborReplicationSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Delete)
    }
}

/// What the operator last observed of a HarborReplication.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborReplicationStatus {
    /// Id of the replication policy in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "policyID")]
    pub policy_id: Option<i64>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
