//! Labels of projects and of the whole Harbor.

use crate::{
    client::Client,
    failure::{missing, system_error},
    manage::{Manage, Objects, desired, shown},
};
use harbor::labels::{Appearance, LabelScope};
use harborstate::{NoFacts, in_project, label::Label, split};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `label`.
pub(crate) struct Labels;

impl Manage for Labels {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(scope) = scope(client, part).await? else { return Ok(Objects::new()) };
        let labels = client.harbor.labels().list(scope).await.map_err(system_error)?;
        let mut objects = Objects::new();
        for label in labels {
            let Appearance { name, description, color } = label.appearance;
            let name = part.map_or_else(|| name.clone(), |project| in_project(project, &name));
            let state = Label { description: Some(description), color: Some(color) };
            objects.insert(name, shown(state, NoFacts {})?);
        }
        Ok(objects)
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let (project, name) = names(&wanted.name);
        let Some(scope) = scope(client, project).await? else {
            return Err(missing("project", project.unwrap_or_default()));
        };
        let label = appearance(name, desired(wanted)?, &Appearance::default());
        client.harbor.labels().create(scope, &label).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let (project, name) = names(&wanted.name);
        let Some(scope) = scope(client, project).await? else {
            return Err(missing("project", project.unwrap_or_default()));
        };
        let stored = client.harbor.labels().find(scope, name).await.map_err(system_error)?;
        let Some(stored) = stored else { return Err(missing("label", &wanted.name)) };
        let label = appearance(name, desired(wanted)?, &stored.appearance);
        client.harbor.labels().update(stored.id, &label).await.map_err(system_error)
    }

    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        let (project, name) = names(name);
        let Some(scope) = scope(client, project).await? else { return Ok(()) };
        let stored = client.harbor.labels().find(scope, name).await.map_err(system_error)?;
        let Some(stored) = stored else { return Ok(()) };
        client.harbor.labels().delete(stored.id).await.map(drop).map_err(system_error)
    }
}

fn names(name: &str) -> (Option<&str>, &str) {
    split(name).map_or((None, name), |(project, name)| (Some(project), name))
}

async fn scope(client: &Client, project: Option<&str>) -> Result<Option<LabelScope>, SystemError> {
    match project {
        None => Ok(Some(LabelScope::Global)),
        Some(project) => Ok(client.project(project).await?.map(|project| LabelScope::Project(project.id))),
    }
}

/// The whole label, since an update replaces it.
fn appearance(name: &str, label: Label, stored: &Appearance) -> Appearance {
    Appearance {
        name: name.to_owned(),
        description: label.description.unwrap_or_else(|| stored.description.clone()),
        color: label.color.unwrap_or_else(|| stored.color.clone()),
    }
}
