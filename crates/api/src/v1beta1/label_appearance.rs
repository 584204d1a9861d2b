//! How a label looks in Harbor, of a project or of the whole Harbor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a label looks in Harbor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelAppearance {
    /// What the label means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Colour in Harbor's pages, such as `#0065AB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^#[0-9A-Fa-f]{6}$"))]
    pub color: Option<String>,
}
