//! The Harbor itself, which is only read.

use crate::{
    client::Client,
    failure::system_error,
    manage::{Manage, Objects, shown},
};
use harborstate::{
    NoFacts,
    server::{NAME, Principal, Server},
};
use plan::SystemError;

/// What the login names of robots begin with, unless the prefix is changed.
pub(crate) const DEFAULT_PREFIX: &str = "robot$";

/// The collection `server`.
pub(crate) struct Servers;

impl Manage for Servers {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        // A list is asked for what is so now.
        client.harbor.forget_server_info();
        let info = client.harbor.server_info().await.map_err(system_error)?;
        let settings = info.settings.as_ref();
        let principal = match settings {
            Some(_) => Principal::Admin,
            None if client.username.starts_with(DEFAULT_PREFIX) => Principal::Robot,
            None => Principal::User,
        };
        let server = Server {
            version: info.version.to_string(),
            read_only: info.read_only,
            auth_mode: info.auth_mode.to_string(),
            external_url: info.external_url.clone(),
            robot_name_prefix: settings.map(|settings| settings.robot_name_prefix.clone()),
            settings_locked: settings.map(|settings| settings.overwritten),
            auth_mode_editable: settings.map(|settings| settings.auth_mode_editable),
            principal,
        };
        Ok([(NAME.to_owned(), shown(server, NoFacts {})?)].into())
    }
}
