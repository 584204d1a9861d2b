//! Projects.

mod allowlist;
mod create;
mod delete;
mod metadata;
mod metadata_keys;
mod read;
mod request;
mod scanner;
mod severity;
mod show;
mod update;

pub(crate) use allowlist::Allowlist;
pub(crate) use create::is_name;
pub(crate) use read::is_visible;
use severity::Severity;

use crate::{
    registries::Registry,
    rest::{Column, Route, Row},
    scanners::Scanner,
    state::{Data, Id},
    users::User,
};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The endpoints of projects.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/projects", read::list),
    Route::head("/projects", read::head),
    Route::post("/projects", create::create),
    Route::get("/projects/{project_name_or_id}", read::read),
    Route::put("/projects/{project_name_or_id}", update::update),
    Route::delete("/projects/{project_name_or_id}", delete::delete),
    Route::get("/projects/{project_name_or_id}/_deletable", delete::deletable),
    Route::get("/projects/{project_name_or_id}/summary", read::summary),
    Route::get("/projects/{project_name_or_id}/metadatas", metadata::list),
    Route::post("/projects/{project_name_or_id}/metadatas", metadata::add),
    Route::get("/projects/{project_name_or_id}/metadatas/{meta_name}", metadata::read),
    Route::put("/projects/{project_name_or_id}/metadatas/{meta_name}", metadata::update),
    Route::delete("/projects/{project_name_or_id}/metadatas/{meta_name}", metadata::delete),
    Route::get("/projects/{project_name_or_id}/scanner", scanner::read),
    Route::put("/projects/{project_name_or_id}/scanner", scanner::set),
    Route::get("/projects/{project_name_or_id}/scanner/candidates", scanner::candidates),
    Route::get("/system/CVEAllowlist", allowlist::read),
    Route::put("/system/CVEAllowlist", allowlist::update),
];

/// A project.
#[derive(Clone)]
pub(crate) struct Project {
    pub name: String,
    pub owner: Id<User>,
    /// What a proxy project is a cache of.
    pub registry: Option<Id<Registry>>,
    pub metadata: BTreeMap<String, String>,
    pub scanner: Option<Id<Scanner>>,
    pub created: Timestamp,
}

impl Project {
    pub fn new(name: &str, owner: Id<User>, now: Timestamp) -> Self {
        let metadata = BTreeMap::from([("public".to_owned(), "false".to_owned())]);
        Self { name: name.to_owned(), owner, registry: None, metadata, scanner: None, created: now }
    }

    /// The same project, made public.
    pub fn public(mut self) -> Self {
        self.metadata.insert("public".to_owned(), "true".to_owned());
        self
    }

    pub fn is_public(&self) -> bool {
        self.metadata.get("public").is_some_and(|public| public == "true" || public == "1")
    }
}

/// A project in a list.
pub(crate) struct Listed<'a>(pub Id<Project>, pub &'a Project);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "projectid" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "ownerid" => Some(Column::Number(self.1.owner.number())),
            "public" => Some(Column::Flag(self.1.is_public())),
            "registryid" => Some(Column::Number(self.1.registry.map_or(0, Id::number))),
            "creationtime" | "updatetime" => Some(Column::Time(Some(self.1.created))),
            _ => None,
        }
    }
}

impl Data {
    /// The project of a path. A text of digits is a number, unless the request says that it is a name.
    pub fn project_named(&self, text: &str, is_name: bool) -> Option<Id<Project>> {
        if !is_name && let Ok(number) = text.parse() {
            let id = Id::new(number);
            return self.projects.get(id).map(|_| id);
        }
        self.projects.find(|project| project.name == text).map(|(id, _)| id)
    }

    /// How many repositories a project has.
    pub fn repository_count(&self, project: Id<Project>) -> usize {
        self.repositories.iter().filter(|(_, repository)| repository.project == project).count()
    }
}
