//! Labels of artifacts.

use crate::{
    access::Identity,
    call::Call,
    clock::date_time,
    failure::Failure,
    projects::Project,
    rest::{Column, Reply, Route, Row, Shown, go_struct},
    state::Id,
};
use jiff::Timestamp;
use serde_json::Value;

/// The endpoints of labels.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/labels", list),
    Route::post("/labels", create),
    Route::get("/labels/{label_id}", read),
    Route::put("/labels/{label_id}", update),
    Route::delete("/labels/{label_id}", delete),
];

/// A label.
#[derive(Clone)]
pub(crate) struct Label {
    pub name: String,
    description: String,
    color: String,
    pub scope: LabelScope,
    created: Timestamp,
    updated: Timestamp,
}

/// Where a label can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelScope {
    Global,
    /// A project, or none: the API takes a project's label without its project.
    Project(Id<Project>),
}

impl LabelScope {
    /// The same scope, with the project under another number.
    pub fn renumbered(self, renumbered: impl Fn(Id<Project>) -> Id<Project>) -> Self {
        match self {
            Self::Global => Self::Global,
            Self::Project(id) => Self::Project(renumbered(id)),
        }
    }

    const fn letter(self) -> &'static str {
        match self {
            Self::Global => "g",
            Self::Project(_) => "p",
        }
    }

    const fn project(self) -> i64 {
        match self {
            Self::Global => 0,
            Self::Project(id) => id.number(),
        }
    }
}

go_struct! {
    /// A label as bodies describe it.
    LabelRequest = "Label" {
        id: i64,
        name: String,
        description: String,
        color: String,
        scope: String,
        project_id: i64,
    }
}

struct Listed<'a>(Id<Label>, &'a Label);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "scope" => Some(Column::Text(self.1.scope.letter().to_owned())),
            "projectid" => Some(Column::Number(self.1.scope.project())),
            "creationtime" => Some(Column::Time(Some(self.1.created))),
            _ => None,
        }
    }
}

impl Label {
    pub fn show(&self, id: Id<Self>) -> Value {
        Shown::new()
            .with("id", id.number())
            .with("name", self.name.as_str())
            .nonzero("description", self.description.as_str())
            .nonzero("color", self.color.as_str())
            .with("scope", self.scope.letter())
            .nonzero("project_id", self.scope.project())
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
            .into()
    }
}

fn missing(id: Id<Label>) -> Failure {
    Failure::not_found(format!("label {id} not found"))
}

/// Refuses a caller without this permission on labels of this scope.
fn allowed(call: &Call<'_>, scope: LabelScope, action: &str) -> Result<(), Failure> {
    match scope {
        LabelScope::Global if ["read", "list"].contains(&action) => match call.identity {
            Identity::Robot { .. } => call.on_system("label", "read"),
            Identity::Anonymous | Identity::User { .. } | Identity::Component => call.authenticated(),
        },
        LabelScope::Global => call.on_system("label", action),
        LabelScope::Project(project) => call.in_project(project, "label", action),
    }
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let project = call.request.integer("project_id")?.unwrap_or_default();
    let filter = call.filter()?.and_part_of_name(call.request.parameter("name"));
    let scope = call.request.parameter("scope").unwrap_or_default();
    let scope = match scope {
        "g" => LabelScope::Global,
        "p" if project > 0 => LabelScope::Project(Id::new(project)),
        "p" => return Err(Failure::bad_request("must with project ID when to query project labels")),
        _ => return Err(Failure::bad_request(format!("invalid scope: {scope}"))),
    };
    allowed(call, scope, "list")?;
    let labels = call.data.labels.iter().filter(|(_, label)| label.scope == scope);
    call.listed(&filter, "name", labels.map(|(id, label)| Listed(id, label)), |label| label.1.show(label.0))
}

fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: LabelRequest = call.body("label")?;
    let scope = match wanted.scope.as_str() {
        "g" => LabelScope::Global,
        "p" => LabelScope::Project(Id::new(wanted.project_id)),
        _ => {
            call.authenticated()?;
            return Err(Failure::bad_request("unsupported label scope"));
        }
    };
    allowed(call, scope, "create")?;
    if wanted.name.is_empty() || wanted.name.chars().count() > 128 {
        return Err(Failure::bad_request("label name with illegal length"));
    }
    if call.data.labels.find(|label| label.scope == scope && label.name == wanted.name).is_some() {
        call.data.labels.burn();
        return Err(Failure::conflict(format!("label {} already exists", wanted.name)));
    }
    let LabelRequest { name, description, color, .. } = wanted;
    let (created, updated) = (call.now, call.now);
    let id = call.data.labels.insert(Label { name, description, color, scope, created, updated });
    Ok(Reply::created(call.location(&id.to_string())))
}

fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("label_id")?;
    call.authenticated()?;
    let label = call.data.labels.get(id).ok_or_else(|| missing(id))?;
    allowed(call, label.scope, "read")?;
    Ok(Reply::json(label.show(id)))
}

/// Replaces everything but the scope: what is not sent becomes empty.
fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("label_id")?;
    let wanted: LabelRequest = call.body("label")?;
    call.authenticated()?;
    let scope = call.data.labels.get(id).ok_or_else(|| missing(id))?.scope;
    allowed(call, scope, "update")?;
    let taken = |(other, label): (Id<Label>, &Label)| {
        other != id && label.scope == scope && label.name == wanted.name
    };
    if call.data.labels.iter().any(taken) {
        return Err(Failure::conflict(format!("label {} already exists", wanted.name)));
    }
    let now = call.now;
    let label = call.data.labels.get_mut(id).ok_or_else(|| missing(id))?;
    label.name = wanted.name;
    label.description = wanted.description;
    label.color = wanted.color;
    label.updated = now;
    Ok(Reply::done())
}

fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Label> = call.id("label_id")?;
    call.authenticated()?;
    let scope = call.data.labels.get(id).ok_or_else(|| missing(id))?.scope;
    allowed(call, scope, "delete")?;
    call.data.labels.remove(id);
    for (_, artifact) in call.data.artifacts.iter_mut() {
        artifact.labels.retain(|label| *label != id);
    }
    Ok(Reply::done())
}
