//! PullSecretBinding: lets a ServiceAccount pull from a project.

use super::status::Observation;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets the pods of a ServiceAccount pull images of a project, with a robot account.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "PullSecretBinding",
    doc = "Lets the pods of a ServiceAccount pull images of a project, with a robot account. The operator accepts it and does not act on it yet.",
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
pub struct PullSecretBindingSpec {
    /// HarborServerConfiguration of the Harbor.
    pub harbor_server_config: String,

    /// ServiceAccount that gets the pull secret.
    pub service_account: String,

    /// Id of the project in Harbor, in digits.
    pub project_id: String,

    /// Id of the robot account in Harbor, in digits.
    pub robot_id: String,
}

/// What the operator last observed of a PullSecretBinding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullSecretBindingStatus {
    /// State in one word: ready or error.
    #[serde(default)]
    #[schemars(!default)]
    pub status: String,

    /// Why, as one word for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,

    /// Why, as a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
