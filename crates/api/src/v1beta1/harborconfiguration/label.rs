//! Labels of a whole Harbor.

use crate::v1beta1::{label_appearance::LabelAppearance, object_deletion_policy::ObjectDeletionPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A label of the whole Harbor, for artifacts of all projects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemLabel {
    /// Name of the label, without slashes.
    #[schemars(length(min = 1, max = 128), regex(pattern = "^[^/]+$"))]
    pub name: String,

    /// How it looks.
    #[serde(flatten)]
    pub appearance: LabelAppearance,

    /// Whether the operator deletes the label, also from artifacts, when it is no longer listed or the object is deleted.
    /// Only if the operator created it. Defaults to Orphan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}
