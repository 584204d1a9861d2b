//! The scanners that projects use.

use super::singletons::no_project;
use crate::{
    client::Client,
    failure::{missing, system_error},
    manage::{Manage, Objects, Start, desired, shown},
};
use harborstate::{NoFacts, project_scanner::ProjectScanner};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `project-scanner`.
pub(crate) struct ProjectScanners;

impl Manage for ProjectScanners {
    const UPDATES: Start = Start::Known;

    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part else { return Ok(Objects::new()) };
        let answer = client.harbor.project(project).scanner().get().await;
        let Some(scanner) = client.in_project(project, answer).await? else { return Ok(Objects::new()) };
        let scanner = scanner.map(|scanner| scanner.name).unwrap_or_default();
        Ok([(project.to_owned(), shown(ProjectScanner { scanner }, NoFacts {})?)].into())
    }

    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(no_project(&wanted.name))
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let ProjectScanner { scanner } = desired(wanted)?;
        let found = client.harbor.scanners().find(&scanner).await.map_err(system_error)?;
        let Some(found) = found else { return Err(missing("scanner", &scanner)) };
        client.harbor.project(&wanted.name).scanner().set(&found.uuid).await.map_err(system_error)
    }

    /// The project uses the default again. Harbor cannot forget a choice, so the default is chosen.
    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        let scanners = client.harbor.scanners().list().await.map_err(system_error)?;
        match scanners.iter().find(|scanner| scanner.is_default) {
            Some(default) => {
                client.harbor.project(name).scanner().set(&default.uuid).await.map_err(system_error)
            }
            None => Ok(()),
        }
    }
}
