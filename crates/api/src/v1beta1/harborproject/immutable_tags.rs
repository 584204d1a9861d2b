//! Tags of a project that cannot be overwritten or deleted.

use crate::v1beta1::artifact_selector::{RepositorySelector, TagSelector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tags that cannot be overwritten or deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImmutableTagRule {
    /// Repositories the rule is about. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<RepositorySelector>,

    /// Tags the rule is about. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<TagSelector>,

    /// Whether Harbor ignores the rule. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}
