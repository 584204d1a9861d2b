//! What a robot account may do.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a robot account may do, in the Harbor or in projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.kind == 'project' || !has(self.__namespace__)")
    .message("permissions.namespace: is only for kind project; remove it"))]
pub struct RobotPermission {
    /// Whether the entry is about the Harbor or about projects.
    pub kind: RobotPermissionKind,

    /// Name of the project in Harbor, or `*` for all projects. Only for kind project of a robot account with level
    /// system; one with level project is about its own project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^([a-z0-9]+(?:[._-][a-z0-9]+)*|\*)$"), length(max = 255))]
    pub namespace: Option<String>,

    /// What the robot account may do there.
    #[schemars(length(min = 1, max = 128))]
    pub access: Vec<RobotAccess>,
}

/// What a permission is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RobotPermissionKind {
    /// The Harbor.
    System,
    /// Projects.
    Project,
}

impl RobotPermissionKind {
    /// The kind as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Project => "project",
        }
    }
}

/// An action on a resource. The Harbor's version decides which there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotAccess {
    /// The resource, such as `repository`.
    #[schemars(regex(pattern = r"^([a-z]+(-[a-z]+)*|\*)$"), length(max = 64))]
    pub resource: String,

    /// The action, such as `pull`. List `pull` beside `push`: in robot accounts with level system, push does not include
    /// it.
    #[schemars(regex(pattern = r"^([a-z]+(-[a-z]+)*|\*)$"), length(max = 64))]
    pub action: String,
}
