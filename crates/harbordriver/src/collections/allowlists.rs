//! The allow list of the system.

use super::singletons::exists;
use crate::{
    client::Client,
    failure::system_error,
    manage::{Manage, Objects, desired, shown},
};
use harbor::allowlists;
use harborstate::{
    NoFacts,
    cve_allowlist::{CveAllowlist, NAME},
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `cve-allowlist`.
pub(crate) struct Allowlists;

impl Manage for Allowlists {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let list = client.harbor.system_allowlist().get().await.map_err(system_error)?;
        let list = CveAllowlist { cves: list.cves, expires_at: list.expires_at };
        Ok([(NAME.to_owned(), shown(list, NoFacts {})?)].into())
    }

    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(exists(&wanted.name))
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let list: CveAllowlist = desired(wanted)?;
        let sent = allowlists::CveAllowlist {
            expires_at: list.expires_at,
            ..allowlists::CveAllowlist::new(list.cves)
        };
        client.harbor.system_allowlist().replace(&sent).await.map_err(system_error)
    }

    /// The list stays as it is.
    async fn delete(_: &Client, _: &str, _: &Value) -> Result<(), SystemError> {
        Ok(())
    }
}
