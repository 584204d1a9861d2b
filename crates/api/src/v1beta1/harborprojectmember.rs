//! HarborProjectMember: one member of a project.

use super::{
    creation_policy::CreationPolicy,
    harbor_target::HarborTarget,
    harborproject::member::{self, Membership},
    managed_object::ManagedObjectStatus,
    object_deletion_policy::ObjectDeletionPolicy,
    project_reference::{self, ProjectReference},
    status::Observation,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One member of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborProjectMember",
    doc = "One member of a project, for a project whose HarborProject does not list its members.",
    namespaced,
    plural = "harborprojectmembers",
    shortname = "hpm",
    category = "goharbor",
    status = "HarborProjectMemberStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Member",
        type_ = "string",
        json_path = ".spec.name",
        description = "Name of the user or group"
    ),
    printcolumn(
        name = "Role",
        type_ = "string",
        json_path = ".spec.role",
        description = "What the member may do"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = project_reference::exactly_one())]
#[x_kube(validation = project_reference::immutable())]
#[x_kube(validation = member::only_a_group_has_a_group_type())]
#[x_kube(validation = Rule::new(
        "self.name == oldSelf.name && self.type == oldSelf.type && has(self.groupType) == has(oldSelf.groupType) \
         && (!has(self.groupType) || self.groupType == oldSelf.groupType) \
         && has(self.ldapGroupDN) == has(oldSelf.ldapGroupDN) \
         && (!has(self.ldapGroupDN) || self.ldapGroupDN == oldSelf.ldapGroupDN)")
    .message("name: the user or group cannot change after creation; create another HarborProjectMember"))]
pub struct HarborProjectMemberSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// The project. Cannot change.
    #[serde(flatten)]
    pub project: ProjectReference,

    /// The member. Only its role can change.
    #[serde(flatten)]
    pub member: Membership,

    /// Whether the operator creates the membership, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the membership in Harbor when this object is deleted. Defaults to Delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborProjectMemberSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Delete)
    }
}

/// What the operator last observed of a HarborProjectMember.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborProjectMemberStatus {
    /// Id of the membership in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "memberID")]
    pub member_id: Option<i64>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
