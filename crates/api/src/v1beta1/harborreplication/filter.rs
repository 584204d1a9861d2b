//! What a replication policy copies.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a replication policy copies: what passes all filters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicationFilters {
    /// Repositories whose name, with the project, matches this pattern, such as `library/**`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub name: Option<String>,

    /// Tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<TagFilter>,

    /// Labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelFilter>,

    /// Type of the artifacts. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ReplicationResource>,
}

/// Tags to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.matches) != has(self.excludes)")
    .message("tag: exactly one of matches and excludes is required; keep one"))]
pub struct TagFilter {
    /// Tags that match this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub matches: Option<String>,

    /// Tags that do not match this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub excludes: Option<String>,
}

/// Labels of artifacts to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.matches) != has(self.excludes)")
    .message("label: exactly one of matches and excludes is required; keep one"))]
pub struct LabelFilter {
    /// Artifacts that have all these labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub matches: Option<Vec<String>>,

    /// Artifacts that do not have these labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub excludes: Option<Vec<String>>,
}

/// Type of artifacts to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplicationResource {
    /// Images.
    Image,
    /// Artifacts that are not images.
    Artifact,
    /// Charts of ChartMuseum. Harbor before 2.8.
    Chart,
}

impl ReplicationResource {
    /// The type as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Artifact => "artifact",
            Self::Chart => "chart",
        }
    }
}
