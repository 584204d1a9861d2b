//! PullSecretBinding: lets a ServiceAccount pull from a project.

use super::{
    harbor_target::HarborTarget, name::ObjectName, project_reference::PROJECT_NAME_PATTERN,
    secret_reference::SecretKeyReference, status::Observation,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets the pods of a ServiceAccount pull images of a project, with a robot account.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "PullSecretBinding",
    doc = "Lets the pods of a ServiceAccount pull images of a project, with a robot account.",
    namespaced,
    plural = "pullsecretbindings",
    shortname = "psb",
    category = "goharbor",
    status = "PullSecretBindingStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor Server",
        type_ = "string",
        json_path = ".spec.harborServerConfig",
        description = "HarborServerConfiguration of the Harbor"
    ),
    printcolumn(
        name = "Service Account",
        type_ = "string",
        json_path = ".spec.serviceAccount",
        description = "ServiceAccount that may pull"
    ),
    printcolumn(
        name = "Status",
        type_ = "string",
        json_path = ".status.status",
        description = "State in one word"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(
        "has(self.robotRef) ? !has(self.projectId) && !has(self.projectName) && !has(self.robotId) && !has(self.secretRef) \
         : has(self.projectId) != has(self.projectName) && has(self.robotId)")
    .message("robotRef: either robotRef alone, or robotId and one of projectId and projectName are required; keep what names the robot account"))]
pub struct PullSecretBindingSpec {
    /// The Harbor in which the robot account is.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// ServiceAccount that gets the pull secret.
    pub service_account: String,

    /// Name of a HarborRobot in the same namespace that writes a Secret of type dockerconfigjson. Either `robotRef`, or
    /// `robotId` and one of `projectId` and `projectName` are required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot_ref: Option<ObjectName>,

    /// Id of the project in Harbor, in digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,

    /// Name of the project in Harbor, instead of its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = PROJECT_NAME_PATTERN), length(min = 1, max = 255))]
    pub project_name: Option<String>,

    /// Id of the robot account of that project in Harbor, in digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot_id: Option<String>,

    /// Secret with the password of the robot account. The key defaults to `password`. Without it, the operator sets a new
    /// password if the annotation `goharbor.io/rotate-robot` is `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretKeyReference>,
}

/// What the operator last observed of a PullSecretBinding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullSecretBindingStatus {
    /// State in one word: ready or error. Empty at first.
    #[serde(default)]
    #[schemars(!default)]
    pub status: String,

    /// Why, as one word for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,

    /// Why, as a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,

    /// Secret that the ServiceAccount refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<ObjectName>,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
