//! HarborUser: a user in the database of a Harbor.

use super::{
    creation_policy::CreationPolicy, harbor_target::HarborTarget, managed_object::ManagedObjectStatus,
    object_deletion_policy::ObjectDeletionPolicy, secret_reference::SecretKeyReference, status::Observation,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A user in the database of a Harbor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborUser",
    doc = "A user in the database of a Harbor, for Harbors that log users in with db_auth.",
    namespaced,
    plural = "harborusers",
    shortname = "hu",
    category = "goharbor",
    status = "HarborUserStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "User",
        type_ = "string",
        json_path = ".spec.username",
        description = "Name of the user"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct HarborUserSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the user. Cannot change. Harbor allows none of `,`, `"`, `~`, `#`, `%` and `$`.
    #[schemars(regex(pattern = r#"^[^\s,"~#%$]([^,"~#%$]*[^\s,"~#%$])?$"#), length(min = 1, max = 255))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("username: cannot change after creation; create another HarborUser"))]
    #[x_kube(validation = Rule::new("self != 'admin'")
        .message("username: admin is the administrator of each Harbor; choose another name"))]
    pub username: String,

    /// Mail address of the user. No two users of a Harbor have the same.
    #[schemars(regex(pattern = r"^[^@\s]+@[^@\s]+$"), length(max = 255))]
    pub email: String,

    /// Name of the person. Defaults to `username`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 255))]
    pub realname: Option<String>,

    /// Remark about the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 30))]
    pub comment: Option<String>,

    /// Whether the user is an administrator of the Harbor. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sysadmin: Option<bool>,

    /// Secret with the password of the user. The key defaults to `password`. Harbor requires 8 to 128 characters with an
    /// upper-case letter, a lower-case letter and a digit.
    pub password_ref: SecretKeyReference,

    /// Whether the operator creates the user, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the user in Harbor when this object is deleted. Defaults to Orphan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborUserSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Orphan)
    }
}

/// What the operator last observed of a HarborUser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborUserStatus {
    /// Id of the user in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "userID")]
    pub user_id: Option<i64>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
