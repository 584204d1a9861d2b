//! The scanner of a project. The name of an object is that of the project.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};

/// The scanner that a project uses: its own, or the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectScanner {
    /// The name of the scanner; empty if there is none.
    pub scanner: String,
}

impl State for ProjectScanner {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "project-scanner";
}
