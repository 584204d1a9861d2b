//! The health of the components of a Harbor, which is only read.

use super::servers::read_only;
use crate::{
    client::Client,
    manage::{Manage, Objects, shown},
};
use harborstate::{
    NoFacts,
    health::{self, NAME},
};
use plan::{External, SystemError};
use serde_json::Value;

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

    async fn create(_: &Client, _: &External) -> Result<(), SystemError> {
        Err(read_only())
    }

    async fn update(_: &Client, _: &External, _: &Value) -> Result<(), SystemError> {
        Err(read_only())
    }

    async fn delete(_: &Client, _: &str, _: &Value) -> Result<(), SystemError> {
        Err(read_only())
    }
}
