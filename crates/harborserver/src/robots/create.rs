//! New robots.

use super::{
    Creator, Robot,
    check::{self, Level},
    permission::{Permission, PermissionRequest},
};
use crate::{
    access::Identity,
    call::Call,
    clock::date_time,
    entropy,
    failure::Failure,
    projects::{Project, is_name},
    rest::{Content, Reply, go_struct},
    secret::Secret,
    state::Id,
    version::Change,
};
use serde_json::json;

go_struct! {
    /// The secret and the flag `disable` that bodies may hold are not read.
    NewRobot = "RobotCreate" {
        name: String,
        description: String,
        secret: Secret,
        level: String,
        disable: bool,
        duration: i64,
        permissions: Vec<Option<PermissionRequest>>,
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: NewRobot = call.body("robot")?;
    if !is_name(&wanted.name) {
        return Err(Failure::bad_request("robot name is not in lower case or contains illegal characters"));
    }
    check::duration(wanted.duration, call.version())?;
    let (level, permissions) = check::permissions(&wanted.level, &wanted.permissions, call.version())?;
    let project = place(call, level, &permissions, "create")?;
    check_creator(call, &permissions)?;
    let stored_name = match project.and_then(|id| call.data.projects.get(id)) {
        Some(project) => format!("{}+{}", project.name, wanted.name),
        None => wanted.name,
    };
    if call.data.robots.find(|robot| robot.project == project && robot.stored_name == stored_name).is_some() {
        call.data.robots.burn();
        let place = project.map_or(0, Id::number);
        return Err(Failure::conflict(format!("robot account {place}:{stored_name} already exists")));
    }
    let secret = entropy::secret(&mut *call.runtime.entropy);
    let default = call.data.configuration.number("robot_token_duration", call.now);
    let mut robot = Robot {
        stored_name,
        description: wanted.description,
        project,
        secret: Secret::new(secret.as_str()),
        disabled: false,
        duration: 0,
        expires_at: 0,
        permissions: permissions.iter().map(Permission::from).collect(),
        editable: true,
        creator: match &call.identity {
            Identity::User { id, .. } => Creator::User(id.number()),
            Identity::Robot { id, .. } => Creator::Robot(*id),
            Identity::Anonymous | Identity::Component => Creator::User(0),
        },
        created: call.now,
        updated: call.now,
    };
    robot.live_for(if wanted.duration == 0 { default } else { wanted.duration });
    let name = format!("{}{}", call.data.configuration.robot_prefix(call.now), robot.stored_name);
    let expires_at = robot.expires_at;
    let id = call.data.robots.insert(robot);
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "create", "robot", &name, call.now);
    Ok(Reply::created(call.location(&id.to_string())).holding(Content::Json(json!({
        "id": id.number(),
        "name": name,
        "secret": secret,
        "expires_at": expires_at,
        "creation_time": date_time(call.now),
    }))))
}

/// Returns the project of a robot, or refuses a caller without this permission on its robots.
pub(super) fn place(
    call: &Call<'_>,
    level: Level,
    permissions: &[PermissionRequest],
    action: &str,
) -> Result<Option<Id<Project>>, Failure> {
    match (level, permissions) {
        (Level::Project, [permission, ..]) => {
            let project = call.data.project_named(&permission.namespace, false);
            let project = project.ok_or_else(|| call.missing_project(&permission.namespace))?;
            call.in_project(project, "robot", action)?;
            Ok(Some(project))
        }
        (Level::Project | Level::System, _) => {
            call.on_system("robot", action)?;
            Ok(None)
        }
    }
}

/// Since 2.12, a robot creates no robot that may do more than itself.
fn check_creator(call: &Call<'_>, permissions: &[PermissionRequest]) -> Result<(), Failure> {
    let Identity::Robot { id, name } = &call.identity else { return Ok(()) };
    let Some(creator) = call.data.robots.get(*id) else { return Ok(()) };
    let covered =
        |wanted: &PermissionRequest| creator.permissions.iter().any(|permission| permission.covers(wanted));
    if !call.has(Change::RobotsCreateRobots) || permissions.iter().all(covered) {
        return Ok(());
    }
    Err(Failure::denied(format!(
        "permission scope is invalid. It must be equal to or more restrictive than the creator robot's \
         permissions: {name}"
    )))
}
