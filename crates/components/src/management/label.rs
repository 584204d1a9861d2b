//! Labels of a project, or of the whole Harbor.

use api::v1beta1::label_appearance::LabelAppearance;
use harborstate::label::Label;

/// A label that looks like this. What the spec leaves out is empty in Harbor.
pub(crate) fn label(LabelAppearance { description, color }: &LabelAppearance) -> Label {
    Label {
        description: Some(description.clone().unwrap_or_default()),
        color: Some(color.clone().unwrap_or_default()),
    }
}
