//! The health of the components of a Harbor, which is only read.

use crate::{
    client::Client,
    manage::{Manage, Objects, shown},
};
use harborstate::{
    NoFacts,
    health::{self, NAME},
};
use plan::SystemError;

/// The collection `health`.
pub(crate) struct Health;

impl Manage for Health {
    /// A Harbor that does not show its health is no failure: everything else about it may work.
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let Ok(found) = client.harbor.system().health().await else { return Ok(Objects::new()) };
        let unhealthy = found.components.into_iter().filter(|component| component.status != "healthy");
        let health = health::Health { unhealthy: unhealthy.map(|component| component.name).collect() };
        Ok([(NAME.to_owned(), shown(health, NoFacts {})?)].into())
    }
}
