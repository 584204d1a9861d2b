//! New projects, and what comes with them.

use super::{Allowlist, Project, request::ProjectRequest};
use crate::{
    access::{Identity, Role},
    call::Call,
    configurations::quota_problem,
    failure::Failure,
    members::{Entity, Member},
    quotas::Quota,
    registries::Registry,
    rest::Reply,
    retention::RetentionPolicy,
    state::{Data, Id},
    users::User,
};
use jiff::Timestamp;

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ProjectRequest = call.body("project")?;
    allowed(call)?;
    check(&wanted)?;
    let registry = registry(call, &wanted)?;
    let limit = storage_limit(call, &wanted)?;
    if call.data.project_named(&wanted.project_name, true).is_some() {
        call.data.projects.burn();
        return Err(Failure::conflict(format!("The project named {} already exists", wanted.project_name)));
    }
    let owner = call.identity.owner(call.data);
    let mut project = Project::new(&wanted.project_name, owner, call.now);
    project.registry = registry;
    if wanted.public == Some(true) {
        project = project.public();
    }
    if let Some(metadata) = &wanted.metadata {
        project.metadata.extend(metadata.kept(call.version(), registry.is_some()));
    }
    let id = call.data.projects.insert(project);
    call.data.complete_project(id, owner, call.now);
    if let Some(hard) = limit {
        call.data.quotas.insert(Quota { project: id, hard, created: call.now, updated: Some(call.now) });
    }
    if registry.is_some() {
        call.data.insert_retention(RetentionPolicy::of_proxy(id), call.now);
    }
    let name = call.identity.name().to_owned();
    call.data.log(&name, "create", "project", &wanted.project_name, call.now);
    let named = call.request.asks("x-resource-name-in-location");
    let reference = if named { wanted.project_name } else { id.to_string() };
    Ok(Reply::created(call.location(&reference)))
}

/// Refuses callers that may not create projects.
fn allowed(call: &Call<'_>) -> Result<(), Failure> {
    call.authenticated()?;
    match &call.identity {
        Identity::Robot { .. } => call.on_system("project", "create"),
        Identity::User { administrator: true, .. } | Identity::Component | Identity::Anonymous => Ok(()),
        Identity::User { .. } => {
            if call.data.configuration.text("project_creation_restriction", call.now) == "adminonly" {
                return Err(Failure::forbidden("Only system admin can create project"));
            }
            Ok(())
        }
    }
}

fn check(wanted: &ProjectRequest) -> Result<(), Failure> {
    let name = &wanted.project_name;
    if name.is_empty() {
        return Err(Failure::bad_request(format!(
            "Project name {name} is illegal in length. (greater than 255 or less than 1)"
        )));
    }
    if !is_name(name) {
        return Err(Failure::bad_request("project name is not in lower case or contains illegal characters"));
    }
    let Some(metadata) = &wanted.metadata else { return Ok(()) };
    if metadata.get("retention_id").is_some() {
        return Err(Failure::bad_request(
            "bad request: the retention_id in the request's payload when creating a project should be omitted, \
             alternatively passing an empty string",
        ));
    }
    match metadata.get("public") {
        None | Some("true" | "false") => Ok(()),
        Some(public) => Err(Failure::bad_request(format!(
            "metadata.public should only be 'true' or 'false', but got: '{public}'"
        ))),
    }
}

/// Lower-case letters and digits, in parts joined by one dot, underscore or dash.
pub(crate) fn is_name(name: &str) -> bool {
    name.split(['.', '_', '-']).all(|part| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn registry(call: &Call<'_>, wanted: &ProjectRequest) -> Result<Option<Id<Registry>>, Failure> {
    let Some(number) = wanted.registry_id else { return Ok(None) };
    let id = Id::new(number);
    match call.data.registries.get(id) {
        Some(registry) if registry.can_be_proxied() => Ok(Some(id)),
        Some(registry) => Err(Failure::bad_request(format!("unsupported registry type {}", registry.kind))),
        None => Err(Failure::internal()),
    }
}

/// The limit of a new project, or none where projects get no quota.
fn storage_limit(call: &Call<'_>, wanted: &ProjectRequest) -> Result<Option<i64>, Failure> {
    if !call.data.configuration.flag("quota_per_project_enable", call.now) {
        return Ok(None);
    }
    let default = call.data.configuration.number("storage_per_project", call.now);
    let asked = wanted.storage_limit.filter(|limit| *limit != 0);
    // Other callers get the default.
    let limit = asked.filter(|_| call.may_on_system("quota", "update")).unwrap_or(default);
    match quota_problem(limit, call.version(), "invalid value for resource storage") {
        Some(problem) => Err(Failure::bad_request(format!("bad request: {problem}"))),
        None => Ok(Some(limit)),
    }
}

impl Data {
    /// Gives a new project its allow list and its first member.
    pub fn complete_project(&mut self, project: Id<Project>, owner: Id<User>, now: Timestamp) {
        self.allowlists.insert(Allowlist::empty(Some(project), now));
        self.members.insert(Member { project, entity: Entity::User(owner), role: Role::PROJECT_ADMIN });
    }
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_are_lower_case_words_joined_by_single_marks() {
        for name in ["a", "1234", "dots.and_under-ok"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "Upper", "with space", "-lead", "trail-", "two--dashes", "ü"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
