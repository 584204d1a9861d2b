//! Projects as answers show them.

use super::{Project, Severity};
use crate::{
    access::Identity,
    call::Call,
    clock::{NEVER, date_time},
    rest::Shown,
    state::Id,
    version::Change,
};
use serde_json::{Map, Value, json};

impl Call<'_> {
    /// A project with everything that belongs to it.
    pub fn show_project(&self, id: Id<Project>, project: &Project) -> Value {
        let allowlist = match self.data.allowlist(Some(id)) {
            Some((id, list)) => Value::from(list.show(id)),
            None => json!({ "items": null, "creation_time": NEVER, "update_time": NEVER }),
        };
        let owner = self.data.users.get(project.owner).map(|user| user.name.as_str()).unwrap_or_default();
        self.show_bare_project(id, project)
            .nonzero("owner_name", owner)
            .with("cve_allowlist", allowlist)
            .into()
    }

    /// A project as the search shows it.
    pub fn show_bare_project(&self, id: Id<Project>, project: &Project) -> Shown {
        let roles = self.roles_in(id);
        let shown = Shown::new()
            .with("project_id", id.number())
            .with("name", project.name.as_str())
            .with("owner_id", project.owner.number())
            .nonzero("registry_id", project.registry.map_or(0, Id::number))
            .with("repo_count", self.data.repository_count(id))
            .when(!self.has(Change::DroppedCharts), "chart_count", 0)
            .with("metadata", self.show_metadata(project))
            .nonzero("current_user_role_id", roles.first().copied().unwrap_or_default())
            .with("creation_time", date_time(project.created))
            .with("update_time", date_time(project.created))
            .with("cve_allowlist", json!({ "items": null, "creation_time": NEVER, "update_time": NEVER }));
        // An absent list is null.
        if roles.is_empty() {
            shown.with("current_user_role_ids", Value::Null)
        } else {
            shown.with("current_user_role_ids", roles)
        }
    }

    /// Metadata with the severity put right.
    fn show_metadata(&self, project: &Project) -> Value {
        let entry = |(key, value): (&String, &String)| {
            let value = match key.as_str() {
                "severity" => Severity::parse(value, self.version()).name().to_owned(),
                _ => value.clone(),
            };
            (key.clone(), Value::String(value))
        };
        Value::Object(project.metadata.iter().map(entry).collect::<Map<String, Value>>())
    }

    /// The roles of the caller. Being an administrator of Harbor is not a role.
    fn roles_in(&self, project: Id<Project>) -> Vec<i64> {
        let Identity::User { id, .. } = self.identity else { return Vec::new() };
        let own =
            self.data.members.iter().filter(|(_, member)| member.project == project && member.is_user(id));
        own.filter(|(_, member)| member.role().is_some()).map(|(_, member)| member.role).collect()
    }
}
