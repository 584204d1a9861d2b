//! HarborServerConfiguration: a Harbor that day-2 objects talk to.

use super::{name::ObjectName, status::Observation};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Harbor that HarborProjects, PullSecretBindings and image rewriting use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborServerConfiguration",
    doc = "A Harbor that HarborProjects, PullSecretBindings and image rewriting use. The operator accepts it and does not act on it yet.",
    plural = "harborserverconfigurations",
    shortname = "hsc",
    category = "goharbor",
    status = "HarborServerConfigurationStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor Server",
        type_ = "string",
        json_path = ".spec.serverURL",
        description = "URL of the Harbor"
    ),
    printcolumn(
        name = "Status",
        type_ = "string",
        json_path = ".status.status",
        description = "State in one word"
    ),
    printcolumn(
        name = "Version",
        type_ = "string",
        json_path = ".spec.version",
        description = "Version of the Harbor",
        priority = 5
    )
)]
#[serde(rename_all = "camelCase")]
pub struct HarborServerConfigurationSpec {
    /// URL of the Harbor.
    #[serde(rename = "serverURL")]
    #[schemars(regex(
        pattern = r"^(.*(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)|https?://(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])\.)+([A-Za-z]|[A-Za-z][A-Za-z0-9\-]*[A-Za-z0-9]).*)$"
    ))]
    pub server_url: String,

    /// Version of the Harbor. For information.
    #[schemars(regex(
        pattern = r"^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
    ))]
    pub version: String,

    /// How to log in.
    pub access_credential: AccessCredential,

    /// Whether this is the Harbor of namespaces that name none. At most one may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,

    /// Whether the Harbor's certificate is not checked. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,

    /// Namespaces that may use this Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,

    /// Images that are pulled through this Harbor, each written as a regular expression for the registry, `=>` and the
    /// project: `registry.example.com=>proxy`. The first that matches wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// Where the credentials of a Harbor are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessCredential {
    /// Namespace of the Secret.
    pub namespace: ObjectName,

    /// Name of the Secret, whose keys are `accessKey` and `accessSecret`.
    pub access_secret_ref: ObjectName,
}

/// What the operator last observed of a HarborServerConfiguration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborServerConfigurationStatus {
    /// State in one word: Success, Fail or Unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,

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
