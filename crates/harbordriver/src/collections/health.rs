//! The health of the components of a Harbor, which is only read.

use crate::{
    client::Client,
    failure::system_error,
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
    /// A Harbor that answers without showing its health is no failure: everything else about it may work.
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let found = match client.harbor.system().health().await.map_err(system_error) {
            Ok(found) => found,
            Err(error @ SystemError::Unreachable(_)) => return Err(error),
            Err(_) => return Ok(Objects::new()),
        };
        let unhealthy = found.components.into_iter().filter(|component| component.status != "healthy");
        let health = health::Health { unhealthy: unhealthy.map(|component| component.name).collect() };
        Ok([(NAME.to_owned(), shown(health, NoFacts {})?)].into())
    }
}
