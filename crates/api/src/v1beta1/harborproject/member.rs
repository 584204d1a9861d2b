//! Members of a project.

use crate::v1beta1::harborusergroup::UserGroupType;
use kube::{KubeSchema, core::Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A member of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = only_a_group_has_a_group_type())]
pub struct Membership {
    /// Name of the user or group in Harbor.
    #[schemars(length(max = 255))]
    pub name: String,

    /// What the member may do.
    pub role: ProjectRole,

    /// Whether the member is a user or a group.
    #[serde(rename = "type")]
    pub type_: MemberType,

    /// Where a group comes from. Defaults to what the Harbor's log-in provides: ldap, http or oidc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_type: Option<UserGroupType>,

    /// Distinguished name of an LDAP group. Required for an LDAP group that Harbor does not know yet.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "ldapGroupDN")]
    #[schemars(length(min = 1, max = 1024))]
    pub ldap_group_dn: Option<String>,
}

/// The rule that fields about groups are for groups. A spec that inlines [`Membership`] repeats it.
pub(crate) fn only_a_group_has_a_group_type() -> Rule {
    Rule::new(
        "(!has(self.groupType) || self.type == 'group') && (!has(self.ldapGroupDN) \
         || (self.type == 'group' && (!has(self.groupType) || self.groupType == 'ldap')))",
    )
    .message("groupType: groupType is for groups and ldapGroupDN for LDAP groups; remove them or set type to group")
}

/// What a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProjectRole {
    /// Everything.
    ProjectAdmin,
    /// Push and pull.
    Developer,
    /// Pull, and see the project's settings.
    Guest,
    /// Push, pull, scan, replicate and delete.
    Maintainer,
    /// Pull.
    LimitedGuest,
}

impl ProjectRole {
    /// The role as the API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProjectAdmin => "projectAdmin",
            Self::Developer => "developer",
            Self::Guest => "guest",
            Self::Maintainer => "maintainer",
            Self::LimitedGuest => "limitedGuest",
        }
    }
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemberType {
    /// A group.
    Group,
    /// A user.
    User,
}
