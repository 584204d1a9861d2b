//! What a robot account may do.

use crate::management::{Projects, Server};
use api::v1beta1::{
    HarborRobotSpec,
    harborrobot::{RobotAccess, RobotPermission, RobotPermissionKind},
};
use harbor::{
    Feature,
    version::permissions::{Level, Verdict, check},
};
use harborstate::{
    robot::{Access, Permission, Robot, permissions},
    server::Principal,
};
use plan::{All as _, PlanError};

/// The namespace of permissions that are about the whole Harbor.
const SYSTEM: &str = "/";
/// The namespace of permissions that are about all projects.
const ALL_PROJECTS: &str = "*";

/// The robot account that a spec describes. How long it lives is another question.
pub(super) fn robot(spec: &HarborRobotSpec, projects: Projects<'_>) -> Result<Robot, PlanError> {
    let listed = spec.permissions.iter().enumerate();
    let listed =
        listed.map(|(index, entry)| permission(entry, &format!("spec.permissions[{index}]"), spec, projects));
    let (listed, (), ()) = (
        listed.collect::<Vec<_>>().all(),
        check_principal(projects.server),
        check_kinds(spec, projects.server),
    )
        .all()?;
    Ok(Robot {
        description: Some(spec.description.clone().unwrap_or_default()),
        duration: None,
        disable: Some(spec.disabled.unwrap_or_default()),
        permissions: Some(permissions(listed)),
    })
}

/// One entry of the spec. A robot account of a project is about its own project.
fn permission(
    entry: &RobotPermission,
    field: &str,
    spec: &HarborRobotSpec,
    projects: Projects<'_>,
) -> Result<Permission, PlanError> {
    let namespace = match (entry.kind, &entry.namespace) {
        (RobotPermissionKind::System, _) => {
            projects.names()?.check_unlimited(&format!("{field}.kind"))?;
            Ok(SYSTEM.to_owned())
        }
        (RobotPermissionKind::Project, None) => projects.named(&spec.project),
        (RobotPermissionKind::Project, Some(all)) if all == ALL_PROJECTS => {
            projects.names()?.check_unlimited(&format!("{field}.namespace"))?;
            Ok(all.clone())
        }
        // Harbor leaves out permissions in projects that do not exist, so that they would be sent again and again.
        (RobotPermissionKind::Project, Some(name)) => {
            projects.existing(name, &format!("{field}.namespace")).map(|()| name.clone())
        }
    };
    let access = entry.access.iter().enumerate().map(|(index, access)| {
        grant(access, entry.kind, &format!("{field}.access[{index}]"), projects.server)
    });
    let (namespace, access) = (namespace, access.collect::<Vec<_>>().all()).all()?;
    Ok(Permission { kind: entry.kind.as_str().to_owned(), namespace, access: access.into_iter().collect() })
}

/// One action on a resource, if the version of the Harbor grants it to robot accounts.
fn grant(
    RobotAccess { resource, action }: &RobotAccess,
    kind: RobotPermissionKind,
    field: &str,
    server: &Server,
) -> Result<Access, PlanError> {
    let granted = || Ok(Access::new(resource, action));
    let Some(version) = server.version() else { return granted() };
    let (level, place) = match kind {
        RobotPermissionKind::System => (Level::System, "system"),
        RobotPermissionKind::Project => (Level::Project, "project"),
    };
    let refused = |problem: String, remedy: &str| {
        Err(PlanError::invalid(field, format!("{action} of {resource} with kind {place} {problem}"), remedy))
    };
    match check(version, level, resource, action) {
        Verdict::Granted | Verdict::Unchecked => granted(),
        Verdict::Meaningless => refused(
            format!("is stored by Harbor {version} unchecked, and does not mean anything"),
            "correct the resource or the action, or list each action by its name",
        ),
        Verdict::Since(since) => refused(
            format!("does not exist in Harbor {version}"),
            &format!("remove it, or upgrade to Harbor {since}"),
        ),
        Verdict::Never => refused(
            "is granted to robot accounts by no version of Harbor".to_owned(),
            "correct the resource, the action or the kind, or remove it",
        ),
    }
}

/// Before 2.10, a robot account with a permission about the Harbor has no other ones, whatever is stored.
fn check_kinds(spec: &HarborRobotSpec, server: &Server) -> Result<(), PlanError> {
    let Some(version) = server.version() else { return Ok(()) };
    let has = |kind| spec.permissions.iter().any(|entry| entry.kind == kind);
    let is_mixed = has(RobotPermissionKind::System) && has(RobotPermissionKind::Project);
    if version.has(Feature::CheckedRobotPermissions) || !is_mixed {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.permissions",
        format!("Harbor {version} ignores entries of kind project next to entries of kind system"),
        "create a HarborRobot for each kind, or upgrade to Harbor 2.10",
    ))
}

/// No version from 2.10 on lets a robot account change a robot account.
fn check_principal(server: &Server) -> Result<(), PlanError> {
    let checked = server.version().is_some_and(|version| version.has(Feature::CheckedRobotPermissions));
    match server.state().map(|state| state.principal) {
        Some(Principal::Robot) if checked => Err(PlanError::invalid(
            "spec.harborServerConfig",
            "has the credentials of a robot account, which cannot change robot accounts",
            "use the credentials of an administrator in its HarborServerConfiguration",
        )),
        _ => Ok(()),
    }
}
