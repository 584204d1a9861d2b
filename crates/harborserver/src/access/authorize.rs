//! Checks of permissions.

use super::{Identity, Role, permissions::Scope, roles};
use crate::{
    call::Call,
    failure::Failure,
    projects::Project,
    robots::{Permission, Robot},
    state::{Data, Id},
    users::User,
    version::Change,
};

/// What a permission is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    System,
    Project(Id<Project>),
}

impl Call<'_> {
    /// Refuses callers without valid credentials.
    pub fn authenticated(&self) -> Result<(), Failure> {
        if self.identity.is_anonymous() { Err(Failure::unauthorized()) } else { Ok(()) }
    }

    /// Refuses a caller without this permission on the system. The refusal contains the name of the caller.
    pub fn on_system(&self, resource: &str, action: &str) -> Result<(), Failure> {
        self.authenticated()?;
        if self.may_on_system(resource, action) {
            return Ok(());
        }
        Err(Failure::forbidden(self.identity.name()))
    }

    pub fn may_on_system(&self, resource: &str, action: &str) -> bool {
        self.may(Target::System, resource, action)
    }

    /// Refuses a caller without this permission in a project.
    pub fn in_project(&self, project: Id<Project>, resource: &str, action: &str) -> Result<(), Failure> {
        if self.may_in_project(project, resource, action) {
            return Ok(());
        }
        self.authenticated()?;
        Err(Failure::forbidden("forbidden"))
    }

    pub fn may_in_project(&self, project: Id<Project>, resource: &str, action: &str) -> bool {
        self.may(Target::Project(project), resource, action)
    }

    /// Returns the project in the path, or refuses a caller without this permission in it.
    pub fn project(&self, parameter: &str, resource: &str, action: &str) -> Result<Id<Project>, Failure> {
        let name = self.parameter(parameter);
        match self.data.project_named(name, self.request.asks("x-is-resource-name")) {
            Some(id) => self.in_project(id, resource, action).map(|()| id),
            None => Err(self.missing_project(name)),
        }
    }

    /// The refusal for a project that does not exist: only administrators learn that.
    pub fn missing_project(&self, name: &str) -> Failure {
        if let Err(failure) = self.authenticated() {
            return failure;
        }
        // Version 2.5 looks up names before it looks at permissions.
        let tells = self.has(Change::TellsMissingProjects) || name.parse::<i64>().is_ok();
        if self.identity.is_administrator() && tells {
            return Failure::not_found(format!("project {name} not found"));
        }
        Failure::forbidden("forbidden")
    }

    fn may(&self, target: Target, resource: &str, action: &str) -> bool {
        match (&self.identity, target) {
            (Identity::User { administrator: true, .. } | Identity::Component, _) => true,
            (Identity::User { .. } | Identity::Anonymous, Target::System) => false,
            (Identity::User { id, .. }, Target::Project(project)) => {
                is_open(self.data, project, resource, action)
                    || role(self.data, project, *id).is_some_and(|role| role.allows(resource, action))
            }
            (Identity::Anonymous, Target::Project(project)) => is_open(self.data, project, resource, action),
            (Identity::Robot { id, .. }, target) => {
                let granted = self
                    .data
                    .robots
                    .get(*id)
                    .is_some_and(|robot| robot_may(self.data, robot, target, resource, action));
                granted
                    || matches!(target, Target::Project(project) if is_open(self.data, project, resource, action))
            }
        }
    }
}

/// Whether the project is public, and public projects grant this permission to every caller.
fn is_open(data: &Data, project: Id<Project>, resource: &str, action: &str) -> bool {
    data.projects.get(project).is_some_and(Project::is_public) && roles::public(resource, action)
}

/// The role of a user in a project.
fn role(data: &Data, project: Id<Project>, user: Id<User>) -> Option<Role> {
    data.members.find(|member| member.project == project && member.is_user(user))?.1.role()
}

fn robot_may(data: &Data, robot: &Robot, target: Target, resource: &str, action: &str) -> bool {
    let has_system = robot.permissions.iter().any(|permission| permission.scope == Scope::System);
    let grants = |permission: &Permission| permission.grants(resource, action);
    match target {
        Target::System => {
            robot.permissions.iter().any(|permission| permission.scope == Scope::System && grants(permission))
        }
        // Up to 2.9, permissions on the system make Harbor forget those on projects.
        Target::Project(_) if has_system && !data.version.has(Change::ChecksPermissions) => false,
        Target::Project(project) => {
            let Some(project) = data.projects.get(project) else { return false };
            robot.permissions.iter().any(|permission| {
                permission.scope == Scope::Project
                    && (permission.namespace == "*" || permission.namespace == project.name)
                    && grants(permission)
            })
        }
    }
}
