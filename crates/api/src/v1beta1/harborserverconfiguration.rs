//! HarborServerConfiguration: a Harbor that day-2 objects talk to.

use super::{duration::GoDuration, name::ObjectName, status::Observation};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most rules for images in one object: each is a regular expression, which the webhook keeps in memory.
pub const MOST_RULES: usize = 100;

/// Characters of the longest rule for images.
pub const LONGEST_RULE: usize = 512;

/// The address and the credentials of a Harbor, for the objects that name it in `harborServerConfig`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborServerConfiguration",
    doc = "The address and the credentials of a Harbor, for the objects that name it in `harborServerConfig`.",
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
    /// URL of the Harbor, with a port if that is not the default of its scheme.
    #[serde(rename = "serverURL")]
    #[schemars(regex(
        pattern = r"^(.*(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)(?::[0-9]{1,5})?/?|https?://(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])\.)+([A-Za-z]|[A-Za-z][A-Za-z0-9\-]*[A-Za-z0-9]).*)$"
    ))]
    pub server_url: String,

    /// Version of the Harbor. For information.
    #[schemars(regex(
        pattern = r"^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
    ))]
    pub version: String,

    /// How to log in.
    pub access_credential: AccessCredential,

    /// Whether this is the Harbor of objects that name none. At most one may be: the oldest is, and others are stalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,

    /// Whether the Harbor's certificate is not checked. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,

    /// Certificate authority that signed the Harbor's certificate. The authorities of the operator's image unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_ref: Option<CertificateAuthorityReference>,

    /// Namespaces that may use this Harbor. All namespaces unless set or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,

    /// Names of the projects that objects of a namespace may create and use: `{namespace}` stands for the name of the
    /// namespace, and `*` at the end for any characters, such as `{namespace}.*`. Any project unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z0-9._-]*\{namespace\}[a-z0-9._-]*\*?$"), length(max = 255))]
    pub project_name_template: Option<String>,

    /// How often the operator compares all objects of this Harbor with it, such as 10m. At least 30s. Defaults to the
    /// flag `--harbor-interval` of the operator, which is five minutes unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("duration(self) >= duration('30s')")
        .message("interval: must be at least 30s; lengthen it"))]
    pub interval: Option<GoDuration>,

    /// Images that are pulled through this Harbor, each written as a regular expression for the registry, `=>` and the
    /// project: `registry.example.com=>proxy`. The first that matches wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MOST_RULES), inner(length(max = LONGEST_RULE)))]
    #[x_kube(validation = Rule::new("self.all(rule, rule == '' || rule.contains('='))")
        .message("rules: each must have `=>` between a registry and a project; write docker.io=>project"))]
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

/// Where the certificate authority of a Harbor is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateAuthorityReference {
    /// Namespace of the Secret.
    pub namespace: ObjectName,

    /// Name of the Secret.
    pub name: ObjectName,

    /// Key of the Secret that holds the certificates in PEM. Defaults to `ca.crt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub key: Option<String>,
}

/// What the credentials of a HarborServerConfiguration belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Principal {
    /// An administrator, who may do everything.
    Admin,
    /// A user who is not an administrator.
    User,
    /// A robot account.
    Robot,
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

    /// Version of the Harbor, as it reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 128))]
    pub version: Option<String>,

    /// What the credentials belong to: admin, user or robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
