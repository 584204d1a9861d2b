//! Reading repositories.

use super::Repository;
use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    projects::is_visible,
    rest::{Column, Reply, Row, Shown, go_struct},
    state::{Data, Id},
};
use serde_json::Value;

go_struct! { RepositoryRequest = "Repository" { description: String } }

pub(super) struct Listed<'a>(pub Id<Repository>, pub &'a Repository);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "repositoryid" | "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "projectid" => Some(Column::Number(self.1.project.number())),
            "pullcount" => Some(Column::Number(self.1.pulls)),
            "creationtime" => Some(Column::Time(Some(self.1.created))),
            "updatetime" => Some(Column::Time(Some(self.1.updated))),
            _ => None,
        }
    }
}

pub(super) fn show(data: &Data, id: Id<Repository>, repository: &Repository) -> Value {
    let artifacts = data.artifacts.iter().filter(|(_, artifact)| artifact.repository == id).count();
    Shown::new()
        .with("id", id.number())
        .with("name", repository.name.as_str())
        .with("project_id", repository.project.number())
        .nonzero("description", repository.description.as_str())
        .nonzero("artifact_count", artifacts)
        .with("pull_count", repository.pulls)
        .with("creation_time", date_time(repository.created))
        .with("update_time", date_time(repository.updated))
        .into()
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name", "repository", "list")?;
    let rows = call.data.repositories.iter().rev().filter(|(_, repository)| repository.project == project);
    let rows = rows.map(|(id, repository)| Listed(id, repository));
    call.listed(&filter, "-creation_time", rows, |Listed(id, repository)| show(call.data, id, repository))
}

/// Lists the repositories of all projects that the caller can see.
pub(super) fn list_all(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let seen = |repository: &Repository| {
        let project = call.data.projects.get(repository.project);
        project.is_some_and(|project| is_visible(call, repository.project, project))
    };
    let rows = call.data.repositories.iter().rev().filter(|(_, repository)| seen(repository));
    let rows = rows.map(|(id, repository)| Listed(id, repository));
    call.listed(&filter, "-creation_time", rows, |Listed(id, repository)| show(call.data, id, repository))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.repository("repository", "read")?;
    let repository = call.data.repositories.get(id).ok_or_else(Failure::internal)?;
    Ok(Reply::json(show(call.data, id, repository)))
}

pub(super) fn describe(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: RepositoryRequest = call.body("repository")?;
    let id = call.repository("repository", "update")?;
    let now = call.now;
    if let Some(repository) = call.data.repositories.get_mut(id) {
        repository.description = wanted.description;
        repository.updated = now;
    }
    Ok(Reply::done())
}
