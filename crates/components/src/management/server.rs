//! What a running Harbor can do.

use harbor::Version;
use harborstate::{State as _, server};
use plan::{Conclusion, PlanError, System, World};

/// What is known about a running Harbor. Without a cluster nothing is, so that nothing can be checked against its version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Server(Option<server::Server>);

impl Server {
    /// Asks a Harbor what it is.
    pub fn read(system: &System, world: &World<'_>) -> Result<Self, PlanError> {
        let found = world.external(system, server::Server::COLLECTION, server::NAME)?;
        Ok(Self(found.and_then(|found| serde_json::from_value(found).ok())))
    }

    /// What a reconcile has read.
    pub fn of(system: &System, conclusion: &Conclusion<'_>) -> Self {
        let found = conclusion.external(system, server::Server::COLLECTION, server::NAME);
        Self(found.and_then(|found| serde_json::from_value(found.clone()).ok()))
    }

    /// What it says about itself.
    pub fn state(&self) -> Option<&server::Server> {
        self.0.as_ref()
    }

    /// Its version, if that is known.
    pub fn version(&self) -> Option<Version> {
        self.0.as_ref()?.version.parse().ok()
    }

    /// Refuses a field that this Harbor does not have.
    pub fn supports(&self, field: &str, has: impl Fn(Version) -> bool) -> Result<(), PlanError> {
        match self.version() {
            Some(version) if !has(version) => Err(PlanError::invalid(
                field,
                format!("Harbor {version} does not have it"),
                "remove it, or upgrade the Harbor",
            )),
            _ => Ok(()),
        }
    }
}
