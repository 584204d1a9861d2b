//! Labels of a project.

use crate::v1beta1::label_appearance::LabelAppearance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A label of a project, for its artifacts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectLabel {
    /// Name of the label.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,

    /// How it looks.
    #[serde(flatten)]
    pub appearance: LabelAppearance,
}
