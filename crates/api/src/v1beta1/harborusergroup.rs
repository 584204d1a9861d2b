//! HarborUserGroup: a claim that a Harbor knows a group.

use super::{harbor_target::HarborTarget, managed_object::ManagedObjectStatus, status::Observation};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A claim that a Harbor knows a group. The operator creates a group that Harbor does not know and never deletes one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborUserGroup",
    doc = "A claim that a Harbor knows a group of users. The operator creates the group if Harbor does not know it, and never deletes it.",
    namespaced,
    plural = "harborusergroups",
    shortname = "hug",
    category = "goharbor",
    status = "HarborUserGroupStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Group",
        type_ = "string",
        json_path = ".spec.groupName",
        description = "Name of the group"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.ldapGroupDN) == (self.groupType == 'ldap')")
    .message("ldapGroupDN: is required with groupType ldap and only then; add or remove it"))]
#[x_kube(validation = Rule::new(
        "has(self.ldapGroupDN) == has(oldSelf.ldapGroupDN) \
         && (!has(self.ldapGroupDN) || self.ldapGroupDN == oldSelf.ldapGroupDN)")
    .message("ldapGroupDN: cannot change after creation; create another HarborUserGroup"))]
pub struct HarborUserGroupSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the group. Cannot change.
    #[schemars(length(min = 1, max = 255))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("groupName: cannot change after creation; create another HarborUserGroup"))]
    pub group_name: String,

    /// Where the group comes from. Cannot change.
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("groupType: cannot change after creation; create another HarborUserGroup"))]
    pub group_type: UserGroupType,

    /// Distinguished name of an LDAP group. Required with groupType ldap. Cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "ldapGroupDN")]
    #[schemars(length(min = 1, max = 1024))]
    pub ldap_group_dn: Option<String>,
}

/// Where a group comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserGroupType {
    /// LDAP.
    Ldap,
    /// An authentication proxy.
    Http,
    /// OpenID Connect.
    Oidc,
}

impl UserGroupType {
    /// The number that Harbor's API has for the type.
    pub const fn number(self) -> i64 {
        match self {
            Self::Ldap => 1,
            Self::Http => 2,
            Self::Oidc => 3,
        }
    }
}

/// What the operator last observed of a HarborUserGroup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborUserGroupStatus {
    /// Id of the group in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "groupID")]
    pub group_id: Option<i64>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
