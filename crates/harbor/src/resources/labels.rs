//! Labels of artifacts.

use crate::{Deletion, Harbor, LabelId, ProjectId, client::Path, error::Error};
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Labels.
    pub fn labels(&self) -> Labels<'_> {
        Labels { harbor: self }
    }
}

/// Calls about labels. A label is identified by its name and scope.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'h> {
    harbor: &'h Harbor,
}

const LABELS: &str = "/labels";

impl Labels<'_> {
    /// The labels of a scope.
    pub async fn list(&self, scope: LabelScope) -> Result<Vec<Label>, Error> {
        let call = self.harbor.get(Path::new(LABELS)).query("scope", scope.letter()).answers_anyone();
        let call = match scope {
            LabelScope::Global => call,
            LabelScope::Project(project) => call.query("project_id", project),
        };
        let labels: Vec<Label> = call.pages().await?;
        Ok(labels.into_iter().filter(|label| label.scope() == scope).collect())
    }

    /// The label with this name.
    pub async fn find(&self, scope: LabelScope, name: &str) -> Result<Option<Label>, Error> {
        Ok(self.list(scope).await?.into_iter().find(|label| label.appearance.name == name))
    }

    /// Creates a label.
    pub async fn create(&self, scope: LabelScope, label: &Appearance) -> Result<LabelId, Error> {
        let project_id = match scope {
            LabelScope::Global => None,
            LabelScope::Project(project) => Some(project),
        };
        let body = NewLabel { appearance: label, scope: scope.letter(), project_id };
        self.harbor.post(Path::new(LABELS)).body(&body).created().await
    }

    /// Replaces name, description and color.
    pub async fn update(&self, id: LabelId, label: &Appearance) -> Result<(), Error> {
        self.harbor.put(Path::new(LABELS).id(id)).body(label).done().await
    }

    /// Deletes a label, after Harbor has removed it from all artifacts.
    pub async fn delete(&self, id: LabelId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(LABELS).id(id)).gone().await
    }
}

/// Where a label can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LabelScope {
    /// Everywhere.
    Global,
    /// In one project.
    Project(ProjectId),
}

impl LabelScope {
    fn letter(self) -> &'static str {
        match self {
            Self::Global => "g",
            Self::Project(_) => "p",
        }
    }
}

/// A label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Label {
    /// Its number.
    pub id: LabelId,
    /// Its name, description and color.
    #[serde(flatten)]
    pub appearance: Appearance,
    scope: String,
    project_id: ProjectId,
}

impl Label {
    /// Where it can be used.
    pub fn scope(&self) -> LabelScope {
        if self.scope == "p" { LabelScope::Project(self.project_id) } else { LabelScope::Global }
    }
}

/// What can be changed about a label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Appearance {
    /// Its name, of at most 128 characters.
    pub name: String,
    /// A description.
    pub description: String,
    /// A color, such as `#FF0000`.
    pub color: String,
}

#[derive(Debug, Serialize)]
struct NewLabel<'a> {
    #[serde(flatten)]
    appearance: &'a Appearance,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<ProjectId>,
}
