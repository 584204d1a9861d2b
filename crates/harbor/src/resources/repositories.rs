//! Repositories, as far as a project cannot be deleted while it has some.

use super::in_project::InProject;
use crate::{Deletion, ProjectId, error::Error};
use serde::Deserialize;

impl<'h> InProject<'h> {
    /// The repositories of the project.
    pub fn repositories(self) -> Repositories<'h> {
        Repositories { project: self }
    }
}

/// Calls about repositories.
#[derive(Clone, Copy, Debug)]
pub struct Repositories<'h> {
    project: InProject<'h>,
}

const REPOSITORIES: &str = "repositories";

impl Repositories<'_> {
    /// All repositories.
    pub async fn list(&self) -> Result<Vec<Repository>, Error> {
        self.project.harbor().get(self.project.path(REPOSITORIES)).answers_anyone().pages().await
    }

    /// Deletes a repository with all its artifacts. Harbor refuses that while a tag is immutable.
    pub async fn delete(&self, repository: &Repository) -> Result<Deletion, Error> {
        let path = self.project.path(REPOSITORIES).repository(repository.name_in_project());
        self.project.harbor().delete(path).gone().await
    }
}

/// A repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Repository {
    /// Its number.
    pub id: i64,
    /// The project.
    pub project_id: ProjectId,
    /// Its name, which begins with that of the project.
    pub name: String,
    /// A description.
    pub description: String,
    /// How many artifacts it has.
    pub artifact_count: i64,
    /// How often they have been pulled.
    pub pull_count: i64,
}

impl Repository {
    /// Its name without that of the project.
    pub fn name_in_project(&self) -> &str {
        self.name.split_once('/').map_or(&self.name, |(_, name)| name)
    }
}
