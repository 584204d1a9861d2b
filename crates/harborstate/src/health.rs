//! The health of the components of a Harbor. It is only read.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of the only object.
pub const NAME: &str = "health";

/// The health of the components of a Harbor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Health {
    /// The names of the components that are not healthy, such as `trivy`.
    pub unhealthy: BTreeSet<String>,
}

impl State for Health {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "health";
}
