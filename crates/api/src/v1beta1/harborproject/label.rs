//! Labels of a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A label of a project, for its artifacts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectLabel {
    /// Name of the label.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,

    /// What the label means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Colour in Harbor's pages, such as `#0065AB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^#[0-9A-Fa-f]{6}$"))]
    pub color: Option<String>,
}
