//! The server itself: whether it answers, its health, its version and mode.

pub use crate::health::{ComponentHealth, Health};

use crate::{
    Harbor,
    client::Path,
    error::{Error, Message},
    version::permissions::Level,
    words::words,
};
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeSet;

impl Harbor {
    /// The server itself.
    pub fn system(&self) -> System<'_> {
        System { harbor: self }
    }
}

/// Calls about the server itself.
#[derive(Clone, Copy, Debug)]
pub struct System<'h> {
    harbor: &'h Harbor,
}

impl System<'_> {
    /// Succeeds if Core answers, and so has finished its migrations.
    pub async fn ping(&self) -> Result<(), Error> {
        let call = self.harbor.get(Path::new("/ping")).anonymously();
        let answer = call.text().await?;
        if answer.trim() == "Pong" {
            return Ok(());
        }
        let call = self.harbor.get(Path::new("/ping"));
        Err(call.unexpected(Message::new("the answer to a ping is not Harbor's")))
    }

    /// The health of the components.
    pub async fn health(&self) -> Result<Health, Error> {
        self.harbor.get(Path::new("/health")).anonymously().json().await
    }

    /// Version and mode. Some of it is shown only to accounts that Harbor accepts; see [`Harbor::server_info`].
    pub async fn info(&self) -> Result<GeneralInfo, Error> {
        self.harbor.get(Path::new("/systeminfo")).answers_anyone().json().await
    }

    /// The file systems of the registry, if it has any.
    pub async fn volumes(&self) -> Result<Vec<Volume>, Error> {
        let volumes: Volumes = self.harbor.get(Path::new("/systeminfo/volumes")).json().await?;
        Ok(volumes.storage)
    }

    /// The permissions that robots may have. Only for administrators, from 2.10 on.
    pub async fn permissions(&self) -> Result<PermissionTables, Error> {
        self.harbor.get(Path::new("/permissions")).json().await
    }
}

words! {
    /// How users log in.
    pub enum AuthMode {
        /// With a password in Harbor's database.
        Database = "db_auth",
        /// With LDAP.
        Ldap = "ldap_auth",
        /// With Cloud Foundry's UAA.
        Uaa = "uaa_auth",
        /// With an HTTP proxy.
        Http = "http_auth",
        /// With OIDC.
        Oidc = "oidc_auth",
    }
}

/// Version and mode.
#[expect(clippy::struct_excessive_bools, reason = "these are the fields of the API")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct GeneralInfo {
    /// The version, such as `v2.15.2-4e21a2b0`; empty for callers that may not see it.
    pub harbor_version: String,
    /// How users log in.
    pub auth_mode: AuthMode,
    /// Whether the login page goes straight to the provider.
    pub primary_auth_mode: bool,
    /// The name of the OIDC provider.
    pub oidc_provider_name: String,
    /// Whether Harbor refuses writes.
    pub read_only: bool,
    /// The address that users have for Harbor.
    pub external_url: String,
    /// The host and port that users have for the registry.
    pub registry_url: String,
    /// The storage of the registry, such as `filesystem` or `s3`.
    pub registry_storage_provider_name: String,
    /// Who may create projects: `everyone` or `adminonly`.
    pub project_creation_restriction: String,
    /// Whether users may register themselves.
    pub self_registration: bool,
    /// Whether webhooks are sent.
    pub notification_enable: bool,
    /// Whether the certificate of the authority can be downloaded.
    pub has_ca_root: bool,
    /// The banner, JSON in a text.
    pub banner_message: String,
    /// The clock of Core.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub current_time: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Volumes {
    storage: Vec<Volume>,
}

/// A file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Volume {
    /// Its size in bytes.
    pub total: u64,
    /// Its free bytes.
    pub free: u64,
}

/// The permissions that robots may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PermissionTables {
    /// Those of the whole system.
    pub system: Vec<PermissionRow>,
    /// Those of a project.
    pub project: Vec<PermissionRow>,
}

impl PermissionTables {
    /// The pairs of resource and action of a level.
    pub fn pairs(&self, level: Level) -> BTreeSet<(&str, &str)> {
        let rows = match level {
            Level::System => &self.system,
            Level::Project => &self.project,
        };
        rows.iter().map(|row| (row.resource.as_str(), row.action.as_str())).collect()
    }
}

/// A permission that robots may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PermissionRow {
    /// The resource.
    pub resource: String,
    /// The action.
    pub action: String,
}
