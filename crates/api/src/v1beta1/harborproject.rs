//! HarborProject: a project within a Harbor, managed as an object.

use super::status::Observation;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A project within a Harbor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborProject",
    doc = "A project within a Harbor, managed as an object. The operator accepts it and does not act on it yet.",
    namespaced,
    plural = "harborprojects",
    shortname = "hp",
    category = "goharbor",
    status = "HarborProjectStatus",
    derive = "PartialEq",
    printcolumn(
        name = "ProjectName",
        type_ = "string",
        json_path = ".spec.projectName",
        description = "Name of the project"
    ),
    printcolumn(
        name = "HarborServerConfig",
        type_ = "string",
        json_path = ".spec.harborServerConfig",
        description = "HarborServerConfiguration of the Harbor"
    ),
    printcolumn(
        name = "Status",
        type_ = "string",
        json_path = ".status.status",
        description = "State in one word"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct HarborProjectSpec {
    /// Name of the project in Harbor. Cannot change.
    #[schemars(regex(pattern = "^[a-z0-9]+(?:[._-][a-z0-9]+)*$"), length(min = 1, max = 255))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("projectName: cannot change after creation; create another HarborProject"))]
    pub project_name: String,

    /// HarborServerConfiguration of the Harbor that has the project. Cannot change.
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("harborServerConfig: cannot change after creation; create another HarborProject"))]
    pub harbor_server_config: String,

    /// Vulnerabilities that do not keep images from being pulled, such as CVE-2021-44228.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "cveAllowList")]
    pub cve_allow_list: Vec<String>,

    /// Space images may take, such as 10Gi. There is no value for unlimited; left out, the quota stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[1-9][0-9]*(Ti|Gi|Mi|Ki)$"))]
    pub storage_quota: Option<String>,

    /// Settings of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<HarborProjectMetadata>,

    /// Members of the project. Members that are not listed are removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<HarborProjectMember>,
}

/// Settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborProjectMetadata {
    /// Whether everyone may pull. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<bool>,

    /// Whether images are scanned when pushed. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_scan: Option<bool>,

    /// Whether only signed images can be pulled: signed with Notary before Harbor 2.9, with Notation from 2.9 on.
    /// False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_content_trust: Option<bool>,

    /// Whether only images signed with cosign can be pulled. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_content_trust_cosign: Option<bool>,

    /// Whether vulnerable images cannot be pulled. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prevent_vulnerable: Option<bool>,

    /// Severity from which an image counts as vulnerable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HarborProjectSeverity")]
    pub severity: Option<HarborProjectSeverity>,

    /// Whether the list of allowed vulnerabilities of the whole Harbor applies. True unless set or `cveAllowList` is not empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse_sys_cve_allowlist: Option<bool>,
}

/// Severity of a vulnerability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HarborProjectSeverity {
    /// Any.
    None,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical.
    Critical,
}

impl HarborProjectSeverity {
    /// The severity as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A member of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborProjectMember {
    /// Name of the user or group in Harbor.
    pub name: String,

    /// What the member may do. Harbor's role limitedGuest cannot be given.
    pub role: HarborProjectRole,

    /// Whether the member is a user or a group.
    #[serde(rename = "type")]
    pub type_: HarborProjectMemberType,
}

/// What a member may do. Harbor's role limitedGuest cannot be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HarborProjectRole {
    /// Everything.
    ProjectAdmin,
    /// Push and pull.
    Developer,
    /// Pull.
    Guest,
    /// Push, pull, scan, replicate and delete.
    Maintainer,
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HarborProjectMemberType {
    /// A group.
    Group,
    /// A user.
    User,
}

/// What the operator last observed of a HarborProject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborProjectStatus {
    /// State in one word: Success, Fail or Unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,

    /// Why, as one word for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,

    /// Why, as a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,

    /// Id of the project in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "projectID")]
    pub project_id: Option<i32>,

    /// Id of the quota in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "quotaID")]
    pub quota_id: Option<i64>,

    /// Digest of the members that were last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub membership_hash: Option<String>,

    /// When the project was last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_apply_time: Option<Time>,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
