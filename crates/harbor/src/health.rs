//! What Harbor says about its parts.

use serde::Deserialize;

/// The health of a Harbor, without a look at its blind spots: secrets that do not fit, and storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Health {
    /// `healthy` if every component is.
    pub status: String,
    /// The components.
    pub components: Vec<ComponentHealth>,
}

/// The health of a component, up to ten seconds old.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ComponentHealth {
    /// Its name, such as `core` or `database`.
    pub name: String,
    /// `healthy` or `unhealthy`.
    pub status: String,
    /// What is wrong.
    pub error: String,
}

impl Health {
    /// Whether every component is healthy.
    pub fn is_healthy(&self) -> bool {
        self.status == "healthy"
    }

    /// Whether a component is healthy; `None` if this Harbor does not have it.
    pub fn of(&self, component: &str) -> Option<bool> {
        let found = self.components.iter().find(|found| found.name == component)?;
        Some(found.status == "healthy")
    }
}
