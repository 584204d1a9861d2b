//! Projects.

mod metadata;

pub use metadata::{Metadata, MetadataKey, MetadataKind, ProjectMetadata};

use super::{
    allowlists::CveAllowlist,
    quotas::{Resources, Storage},
};
use crate::{
    Deletion, Harbor, ProjectId, RegistryId, UserId,
    client::{Filter, Path},
    error::Error,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Projects.
    pub fn projects(&self) -> Projects<'_> {
        Projects { harbor: self }
    }
}

/// Calls about projects. A project is identified by its name.
#[derive(Clone, Copy, Debug)]
pub struct Projects<'h> {
    harbor: &'h Harbor,
}

const PROJECTS: &str = "/projects";

impl Projects<'_> {
    /// All projects that the account may see.
    pub async fn list(&self) -> Result<Vec<Project>, Error> {
        self.harbor.get(Path::new(PROJECTS)).answers_anyone_in_part().pages().await
    }

    /// The project with this name, if the account may see it.
    ///
    /// Unlike [`Projects::get`], this finds out that a project does not exist with any account and version.
    pub async fn find(&self, name: &str) -> Result<Option<Project>, Error> {
        let filter = Filter::default().exact("name", name);
        let call = self.harbor.get(Path::new(PROJECTS)).filter(&filter).answers_anyone_in_part();
        let found: Vec<Project> = call.pages().await?;
        Ok(found.into_iter().find(|project| project.name == name))
    }

    /// The project with this name. A missing one is `None` only to an administrator, and from 2.6 on; otherwise Harbor
    /// answers 403.
    pub async fn get(&self, name: &str) -> Result<Option<Project>, Error> {
        self.harbor.get(Path::new(PROJECTS).name(name)).answers_anyone().json_if_found().await
    }

    /// Creates a project. Its creator becomes a member. A proxy cache gets a retention policy.
    pub async fn create(&self, project: &NewProject) -> Result<ProjectId, Error> {
        self.harbor.post(Path::new(PROJECTS)).body(project).created().await
    }

    /// Changes a project. Metadata that is left out stays.
    pub async fn update(&self, name: &str, update: &ProjectUpdate) -> Result<(), Error> {
        self.harbor.put(Path::new(PROJECTS).name(name)).body(update).done().await
    }

    /// Deletes a project. Harbor refuses that while the project has repositories.
    pub async fn delete(&self, name: &str) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(PROJECTS).name(name)).gone().await
    }

    /// Whether a project can be deleted.
    pub async fn deletable(&self, name: &str) -> Result<Deletable, Error> {
        self.harbor.get(Path::new(PROJECTS).name(name).then("_deletable")).json().await
    }

    /// Numbers about a project.
    pub async fn summary(&self, name: &str) -> Result<Summary, Error> {
        self.harbor.get(Path::new(PROJECTS).name(name).then("summary")).answers_anyone().json().await
    }
}

/// A project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Project {
    /// Its number.
    #[serde(rename = "project_id")]
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// The user that created it.
    pub owner_id: UserId,
    /// The name of that user.
    pub owner_name: String,
    /// The registry that it is a proxy cache of.
    pub registry_id: Option<RegistryId>,
    /// How many repositories it has.
    pub repo_count: i64,
    /// How many charts it has, until 2.7.
    pub chart_count: i64,
    /// Its settings.
    pub metadata: Metadata,
    /// Its own allow list, used unless `reuse_sys_cve_allowlist` is set.
    pub cve_allowlist: CveAllowlist,
    /// When it was created.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub creation_time: Option<Timestamp>,
    /// When it was changed.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub update_time: Option<Timestamp>,
}

/// A project to create. An allow list is not part of it: Harbor ignores it here, so send an update afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewProject {
    /// Its name.
    #[serde(rename = "project_name")]
    pub name: String,
    /// Its settings.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Its quota; the default if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_limit: Option<Storage>,
    /// The registry that it is a proxy cache of. This cannot be changed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry_id: Option<RegistryId>,
}

impl NewProject {
    /// A private project with default settings.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// A change of a project. Its name, registry and quota cannot be changed here; Harbor would ignore that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProjectUpdate {
    /// Settings to change; others stay.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Replaces the allow list, unless `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cve_allowlist: Option<CveAllowlist>,
}

/// Whether a project can be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Deletable {
    /// Whether it can.
    pub deletable: bool,
    /// Why not.
    pub message: String,
}

/// Numbers about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// How many repositories it has.
    pub repo_count: i64,
    /// How many charts it has, until 2.7.
    pub chart_count: i64,
    /// How many members have the role projectAdmin.
    pub project_admin_count: i64,
    /// How many members have the role maintainer.
    pub maintainer_count: i64,
    /// How many members have the role developer.
    pub developer_count: i64,
    /// How many members have the role guest.
    pub guest_count: i64,
    /// How many members have the role limitedGuest.
    pub limited_guest_count: i64,
    /// Its quota, if it has one.
    pub quota: Option<SummaryQuota>,
}

/// The quota of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SummaryQuota {
    /// The limit.
    pub hard: Resources,
    /// What is used.
    pub used: Resources,
}
