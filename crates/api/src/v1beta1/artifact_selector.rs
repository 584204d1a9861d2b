//! Which repositories and tags a rule of a project is about.

use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// Repositories, by a pattern: `**` is any text, `*` any text without a slash, `{a,b}` either.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.matches) != has(self.excludes)")
    .message("repositories: exactly one of matches and excludes is required; keep one"))]
pub struct RepositorySelector {
    /// The rule is about repositories whose name, without the project, matches this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub matches: Option<String>,

    /// The rule is about repositories whose name, without the project, does not match this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub excludes: Option<String>,
}

/// Tags, by a pattern: `**` is any text, `*` any text without a slash, `{a,b}` either.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.matches) != has(self.excludes)")
    .message("tags: exactly one of matches and excludes is required; keep one"))]
pub struct TagSelector {
    /// The rule is about tags that match this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub matches: Option<String>,

    /// The rule is about tags that do not match this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub excludes: Option<String>,

    /// Whether the rule is about artifacts without a tag too. Defaults to true, as in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untagged: Option<bool>,
}
