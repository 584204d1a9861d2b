//! HarborProject: a project within a Harbor, managed as an object.

pub mod immutable_tags;
pub mod label;
pub mod member;
pub mod metadata;
pub mod retention;
pub mod webhook;

pub use self::{
    immutable_tags::ImmutableTagRule,
    label::ProjectLabel,
    member::{MemberType, Membership, ProjectRole},
    metadata::{HarborProjectMetadata, HarborProjectSeverity},
    retention::{RetentionPolicy, RetentionRule},
    webhook::WebhookPolicy,
};

use super::{
    creation_policy::CreationPolicy, harbor_target::HarborTarget, managed_object::ManagedObjectStatus,
    name::ObjectName, object_deletion_policy::ObjectDeletionPolicy, status::Observation,
};
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
    doc = "A project within a Harbor, with its members, its quota and its rules.",
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
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor that has the project"
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
        "has(self.registryRef) == has(oldSelf.registryRef) \
         && (!has(self.registryRef) || self.registryRef == oldSelf.registryRef)")
    .message("registryRef: cannot change after creation; create another HarborProject"))]
#[x_kube(validation = Rule::new(
        "has(self.registryName) == has(oldSelf.registryName) \
         && (!has(self.registryName) || self.registryName == oldSelf.registryName)")
    .message("registryName: cannot change after creation; create another HarborProject"))]
#[x_kube(validation = Rule::new("!has(self.registryRef) || !has(self.registryName)")
    .message("registryName: cannot be set with registryRef; keep the one that names the registry"))]
#[x_kube(validation = Rule::new(
        "!has(self.registryRef) && !has(self.registryName) || !has(self.metadata) \
         || !has(self.metadata.enableContentTrust) || !self.metadata.enableContentTrust")
    .message("metadata.enableContentTrust: Harbor ignores it for a proxy cache; remove it"))]
#[x_kube(validation = Rule::new("!has(self.cveAllowListExpiresAt) || has(self.cveAllowList)")
    .message("cveAllowListExpiresAt: is about cveAllowList; add cveAllowList or remove it"))]
pub struct HarborProjectSpec {
    /// The Harbor that has the project.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the project in Harbor. Cannot change.
    #[schemars(regex(pattern = "^[a-z0-9]+(?:[._-][a-z0-9]+)*$"), length(min = 1, max = 255))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("projectName: cannot change after creation; create another HarborProject"))]
    pub project_name: String,

    /// Vulnerabilities that do not keep images from being pulled, such as CVE-2021-44228.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "cveAllowList")]
    pub cve_allow_list: Vec<String>,

    /// When `cveAllowList` expires. Never unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "cveAllowListExpiresAt")]
    pub cve_allow_list_expires_at: Option<Time>,

    /// Space images may take, such as 10Gi, or `unlimited` (also written `-1`). Left out, the quota stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^([1-9][0-9]*(Ti|Gi|Mi|Ki)|unlimited|-1)$"))]
    pub storage_quota: Option<String>,

    /// Settings of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<HarborProjectMetadata>,

    /// Members of the project. Left out, the operator leaves the members alone. Otherwise it removes members that are not
    /// listed, except the user who created the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memberships: Option<Vec<Membership>>,

    /// Name of the HarborRegistryEndpoint in the same namespace of which the project is a proxy cache. Cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_ref: Option<ObjectName>,

    /// Name in Harbor of the registry endpoint of which the project is a proxy cache. Cannot change. At most one of
    /// `registryRef` and `registryName` may be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub registry_name: Option<String>,

    /// Which artifacts Harbor keeps when it cleans up. Left out, the operator leaves a policy alone that it did not create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionPolicy>,

    /// Tags that cannot be overwritten or deleted. Left out, the operator leaves the rules alone. Otherwise it removes
    /// rules that are not listed. An artifact that matches any rule is protected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immutable_tag_rules: Option<Vec<ImmutableTagRule>>,

    /// Webhooks of the project. Those that are not listed stay. The operator deletes a webhook that is taken off the list if it
    /// created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub webhooks: Option<Vec<WebhookPolicy>>,

    /// Labels of the project, for its artifacts. Those that are not listed stay. The operator deletes a label that is taken off
    /// the list if it created it; Harbor then removes it from artifacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub labels: Option<Vec<ProjectLabel>>,

    /// Name of the scanner registration in Harbor that scans the project's images. Left out, the operator leaves the
    /// scanner alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub scanner: Option<String>,

    /// Whether the operator creates the project, adopts one that exists, or both. Defaults to CreateOrAdopt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the project in Harbor when this object is deleted. Defaults to Delete. Harbor does
    /// not delete a project that has repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,

    /// Whether the operator deletes the repositories, with all their images, before it deletes the project. Defaults to
    /// false. It has no effect on a project that the operator adopted or retains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_destroy: Option<bool>,
}

impl HarborProjectSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or(CreationPolicy::CreateOrAdopt)
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Delete)
    }
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

    /// Id of the retention policy in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "retentionID")]
    pub retention_id: Option<i64>,

    /// What the operator knows about the project in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
