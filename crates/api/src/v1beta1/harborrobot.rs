//! HarborRobot: a robot account of a Harbor, with its credentials in a Secret.

pub mod permission;

pub use self::permission::{RobotAccess, RobotPermission, RobotPermissionKind};

use super::{
    creation_policy::CreationPolicy,
    duration::GoDuration,
    harbor_target::HarborTarget,
    managed_object::ManagedObjectStatus,
    name::ObjectName,
    object_deletion_policy::ObjectDeletionPolicy,
    project_reference::{self, ProjectReference},
    status::Observation,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A robot account of a Harbor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborRobot",
    doc = "A robot account of a Harbor, with its credentials in a Secret.",
    namespaced,
    plural = "harborrobots",
    shortname = "hrb",
    category = "goharbor",
    status = "HarborRobotStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Robot",
        type_ = "string",
        json_path = ".spec.robotName",
        description = "Name of the robot account"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "self.level == 'project' ? has(self.projectName) != has(self.projectRef) \
         : !has(self.projectName) && !has(self.projectRef)")
    .message("projectRef: exactly one of projectRef and projectName is required with level project, and none with level system; add or remove them"))]
#[x_kube(validation = project_reference::immutable())]
#[x_kube(validation = Rule::new(
        "self.level != 'project' || (self.permissions.size() == 1 && self.permissions[0].kind == 'project' \
         && !has(self.permissions[0].__namespace__))")
    .message("permissions: level project takes one entry of kind project without a namespace; list its access there"))]
#[x_kube(validation = Rule::new(
        "self.level != 'system' || self.permissions.all(it, it.kind == 'system' || has(it.__namespace__))")
    .message("permissions: kind project requires a namespace with level system; write a project or *"))]
pub struct HarborRobotSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the robot account, without the prefix that Harbor adds and without the project. Cannot change.
    #[schemars(regex(pattern = "^[a-z0-9]+(?:[._-][a-z0-9]+)*$"), length(min = 1, max = 255))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("robotName: cannot change after creation; create another HarborRobot"))]
    pub robot_name: String,

    /// Whether the robot account belongs to the Harbor or to one project. Cannot change.
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("level: cannot change after creation; create another HarborRobot"))]
    pub level: RobotLevel,

    /// Project of a robot account with level project. Cannot change.
    #[serde(flatten)]
    pub project: ProjectReference,

    /// What the robot account is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Whether Harbor refuses the robot account. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,

    /// Days the robot account is valid, counted from its creation in Harbor or from its last renewal by `rotation`; -1 for
    /// ever. Defaults to -1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1))]
    #[x_kube(validation = Rule::new("self != 0")
        .message("duration: 0 days is no duration; write -1 for ever, or at least 1"))]
    pub duration: Option<i64>,

    /// What the robot account may do. With level project: one entry, of kind project.
    #[schemars(length(min = 1, max = 256))]
    pub permissions: Vec<RobotPermission>,

    /// Secret to which the operator writes the credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<RobotSecret>,

    /// When the operator renews the credentials, besides each time the annotation `goharbor.io/rotate-at` gets another value,
    /// and how long those before stay valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<RobotRotation>,

    /// Whether the operator creates the robot account, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the robot account in Harbor when this object is deleted. Defaults to Delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborRobotSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Delete)
    }
}

/// What a robot account belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RobotLevel {
    /// The Harbor.
    System,
    /// One project.
    Project,
}

impl RobotLevel {
    /// The level as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Project => "project",
        }
    }
}

/// The Secret with the credentials of a robot account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotSecret {
    /// Name of the Secret. The operator creates it and deletes it with this object. Defaults to the name of this object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ObjectName>,

    /// Type of the Secret. Defaults to dockerconfigjson.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub type_: Option<RobotSecretType>,
}

/// Type of the Secret with the credentials of a robot account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RobotSecretType {
    /// `Opaque`, with the keys `username` and `password`.
    Opaque,
    /// `kubernetes.io/dockerconfigjson`, for `imagePullSecrets`, with the keys `username` and `password` too.
    #[default]
    DockerConfigJson,
}

/// When the operator renews the credentials of a robot account, and how long those before stay valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.interval) || has(self.overlap)")
    .message("rotation: says nothing; set interval or overlap, or remove it"))]
#[x_kube(validation = Rule::new(
        "!has(self.overlap) || !has(self.interval) || duration(self.overlap) < duration(self.interval)")
    .message("rotation.overlap: must be shorter than interval; shorten it"))]
pub struct RobotRotation {
    /// Time between two renewals, such as 720h. At least 10m. Left out, the operator renews the credentials only by annotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("duration(self) >= duration('10m')")
        .message("rotation.interval: must be at least 10m; lengthen it"))]
    pub interval: Option<GoDuration>,

    /// Time for which the previous credentials stay valid after a renewal, such as 24h. The operator then alternates
    /// between two robot accounts, and a renewal that is asked for in this time waits for its end. Without it, the previous
    /// credentials end at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<GoDuration>,
}

/// What the operator last observed of a HarborRobot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborRobotStatus {
    /// Id of the robot account in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "robotID")]
    pub robot_id: Option<i64>,

    /// Name of the robot account with the prefix and the project: the user name for `docker login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub full_name: Option<String>,

    /// When the robot account expires. Absent for one that does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,

    /// Secret that holds the credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<ObjectName>,

    /// When the operator last renewed the credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_rotation: Option<Time>,

    /// Value of the annotation `goharbor.io/rotate-at` that the operator last acted on. Another value in the annotation waits
    /// for the end of an overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 256))]
    pub last_rotation_request: Option<String>,

    /// The robot account before the last renewal, while it is valid. Empty after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousRobot>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}

/// A robot account that the operator deletes after an overlap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousRobot {
    /// Id of the robot account in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "robotID")]
    pub robot_id: Option<i64>,

    /// Name of the robot account with the prefix and the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub full_name: Option<String>,

    /// When the operator deletes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_after: Option<Time>,
}
