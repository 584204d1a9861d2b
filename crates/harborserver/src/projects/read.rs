//! Reading projects.

use super::{Listed, Project};
use crate::{
    access::{Identity, Role},
    call::Call,
    failure::Failure,
    members::Entity,
    rest::{Content, Reply, Shown, Term},
    state::Id,
    version::Change,
};
use http::StatusCode;
use serde_json::json;

/// Lists the projects that the caller can see.
pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let mut filter = call.filter()?.and_part_of_name(call.request.parameter("name"));
    if let Some(public) = call.request.flag("public")? {
        filter = filter.and("public", Term::Exact(public.to_string()));
    }
    if let Some(owner) = call.request.parameter("owner").filter(|owner| !owner.is_empty()) {
        let id = call.data.users.find(|user| user.name == owner).map_or(0, |(id, _)| id.number());
        filter = filter.and("owner_id", Term::Exact(id.to_string()));
    }
    let visible = call.data.projects.iter().filter(|(id, project)| is_visible(call, *id, project));
    let rows = visible.map(|(id, project)| Listed(id, project));
    call.listed(&filter, "name", rows, |Listed(id, project)| call.show_project(id, project))
}

/// Whether a list shows a project.
pub(crate) fn is_visible(call: &Call<'_>, id: Id<Project>, project: &Project) -> bool {
    if project.is_public() || call.may_on_system("project", "list") {
        return true;
    }
    match &call.identity {
        Identity::Anonymous => false,
        Identity::User { id: user, .. } => {
            call.data.members.iter().any(|(_, member)| member.project == id && member.is_user(*user))
        }
        Identity::Robot { id: robot, .. } => call.data.robots.get(*robot).is_some_and(|robot| {
            robot.permissions.iter().any(|permission| permission.namespace == project.name)
        }),
        Identity::Component => true,
    }
}

/// Tells whether a name is taken.
pub(super) fn head(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let name = call.request.required("project_name")?.to_owned();
    call.authenticated()?;
    if call.data.project_named(&name, true).is_some() {
        return Ok(Reply::new(StatusCode::OK, Content::Nothing));
    }
    Err(Failure::not_found(format!("project {name} not found")))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "project", "read")?;
    let project = call.data.projects.get(id).ok_or_else(Failure::internal)?;
    Ok(Reply::json(call.show_project(id, project)))
}

pub(super) fn summary(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "project", "read")?;
    let count = |role: Role| {
        let users = call.data.members.iter().filter(|(_, member)| matches!(member.entity, Entity::User(_)));
        users.filter(|(_, member)| member.project == id && member.role() == Some(role)).count()
    };
    let mut shown = Shown::new()
        .with("repo_count", call.data.repository_count(id))
        .when(!call.has(Change::DroppedCharts), "chart_count", 0)
        .nonzero("project_admin_count", count(Role::ProjectAdmin))
        .nonzero("maintainer_count", count(Role::Maintainer))
        .nonzero("developer_count", count(Role::Developer))
        .nonzero("guest_count", count(Role::Guest))
        .nonzero("limited_guest_count", count(Role::LimitedGuest));
    if let Some(quota) = call.data.quota_of(id) {
        let used = call.data.used_storage(id);
        shown =
            shown.with("quota", json!({ "hard": { "storage": quota.hard }, "used": { "storage": used } }));
    }
    let registry = call.data.projects.get(id).and_then(|project| project.registry);
    if let Some((id, registry)) = registry.and_then(|id| call.data.registries.get(id).map(|it| (id, it))) {
        shown = shown.with("registry", registry.show(id));
    }
    Ok(Reply::json(shown))
}
