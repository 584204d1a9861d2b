//! Repositories, their artifacts and tags.

mod artifacts;
mod labels;
mod read;
mod remove;
mod scan;
mod seed;
mod tags;

pub(crate) use seed::Sender;
pub use seed::{Image, UnknownProject};

use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    jobs::Execution,
    labels::Label,
    projects::Project,
    rest::{Column, Route, Row, Shown, unescaped},
    state::Id,
    version::{Change, Version},
};
use jiff::Timestamp;
use serde_json::Value;

const ARTIFACT: &str = "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}";

/// The endpoints of repositories.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/repositories", read::list_all),
    Route::get("/projects/{project_name}/repositories", read::list),
    Route::get("/projects/{project_name}/repositories/{repository_name}", read::read),
    Route::put("/projects/{project_name}/repositories/{repository_name}", read::describe),
    Route::delete("/projects/{project_name}/repositories/{repository_name}", remove::repository),
    Route::get("/projects/{project_name_or_id}/artifacts", artifacts::list_of_project).since(12),
    Route::get("/projects/{project_name}/repositories/{repository_name}/artifacts", artifacts::list),
    Route::get(ARTIFACT, artifacts::read),
    Route::delete(ARTIFACT, remove::artifact),
    Route::get(
        "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}/tags",
        tags::list,
    ),
    Route::post(
        "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}/tags",
        tags::create,
    ),
    Route::delete(
        "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}/tags/{tag_name}",
        remove::tag,
    ),
    Route::post(
        "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}/labels",
        labels::add,
    ),
    Route::delete(
        "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}/labels/{label_id}",
        labels::remove,
    ),
    Route::post(
        "/projects/{project_name}/repositories/{repository_name}/artifacts/{reference}/scan",
        scan::start,
    ),
];

/// A repository.
#[derive(Clone)]
pub(crate) struct Repository {
    pub project: Id<Project>,
    /// With its project.
    pub name: String,
    description: String,
    pulls: i64,
    created: Timestamp,
    updated: Timestamp,
}

/// A manifest, and what hangs on it.
#[derive(Clone)]
pub(crate) struct Artifact {
    pub project: Id<Project>,
    pub repository: Id<Repository>,
    pub digest: String,
    pub size: i64,
    pushed: Timestamp,
    pulled: Option<Timestamp>,
    pub labels: Vec<Id<Label>>,
    pub scan: Option<Id<Execution>>,
}

/// A name of an artifact.
#[derive(Clone)]
pub(crate) struct Tag {
    pub repository: Id<Repository>,
    pub artifact: Id<Artifact>,
    pub name: String,
    pushed: Timestamp,
    pulled: Option<Timestamp>,
}

impl Tag {
    fn show(&self, id: Id<Self>, version: Version, immutable: bool) -> Value {
        Shown::new()
            .with("id", id.number())
            .with("name", self.name.as_str())
            .with("artifact_id", self.artifact.number())
            .with("repository_id", self.repository.number())
            .with("immutable", immutable)
            .when(!version.has(Change::DroppedNotary), "signed", false)
            .with("push_time", date_time(self.pushed))
            .with("pull_time", date_time(self.pulled))
            .into()
    }
}

struct ListedTag<'a>(Id<Tag>, &'a Tag);

impl Row for ListedTag<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "pushtime" => Some(Column::Time(Some(self.1.pushed))),
            "pulltime" => Some(Column::Time(self.1.pulled)),
            _ => None,
        }
    }
}

impl Call<'_> {
    /// The repository that the path names; slashes in its name are escaped once more.
    fn repository(&self, resource: &str, action: &str) -> Result<Id<Repository>, Failure> {
        let project = self.project("project_name", resource, action)?;
        let name = self.data.projects.get(project).map(|project| project.name.as_str()).unwrap_or_default();
        let name = format!("{name}/{}", unescaped(self.parameter("repository_name")));
        let found = self.data.repositories.find(|repository| repository.name == name);
        found.map(|(id, _)| id).ok_or_else(|| Failure::not_found(format!("repository {name} not found")))
    }

    /// The artifact that the path names by tag or digest.
    fn artifact(&self, resource: &str, action: &str) -> Result<(Id<Repository>, Id<Artifact>), Failure> {
        let repository = self.repository(resource, action)?;
        let reference = self.parameter("reference");
        let is_digest = reference.contains(':');
        let found = if is_digest {
            let rows = &self.data.artifacts;
            rows.find(|row| row.repository == repository && row.digest == reference).map(|(id, _)| id)
        } else {
            let rows = &self.data.tags;
            rows.find(|row| row.repository == repository && row.name == reference)
                .map(|(_, tag)| tag.artifact)
        };
        let missing = || {
            let name = self.data.repositories.get(repository).map(|it| it.name.as_str()).unwrap_or_default();
            let mark = if is_digest { '@' } else { ':' };
            Failure::not_found(format!("artifact {name}{mark}{reference} not found"))
        };
        Ok((repository, found.ok_or_else(missing)?))
    }
}
