//! Labels. The name of an object is `alpha/hot` for the label of a project, and `hot` for one of the whole
//! Harbor.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};

/// A label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Label {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A color, such as `#FF0000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

impl State for Label {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "label";
}
