//! Changes of robots.

use super::{
    Robot, check,
    create::place,
    permission::{Permission, PermissionRequest},
    read::{found, missing},
};
use crate::{
    call::Call,
    failure::Failure,
    rest::{Reply, go_struct},
    state::Id,
    version::Change,
};

go_struct! {
    /// A secret that bodies may hold is not read.
    RobotRequest = "Robot" {
        name: String,
        description: String,
        level: String,
        duration: Option<i64>,
        disable: bool,
        permissions: Vec<Option<PermissionRequest>>,
    }
}

/// Replaces a robot. Name and level must be those it has.
pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Robot> = call.id("robot_id")?;
    let wanted: RobotRequest = call.body("robot")?;
    call.authenticated()?;
    let robot = call.data.robots.get(id).ok_or_else(|| missing(id))?;
    let duration = if call.has(Change::NeedsRobotDuration) {
        wanted.duration.unwrap_or(robot.duration)
    } else {
        wanted.duration.unwrap_or_default()
    };
    check::duration(duration, call.version())?;
    let (level, permissions) = check::permissions(&wanted.level, &wanted.permissions, call.version())?;
    place(call, level, &permissions, "update")?;
    let prefix = call.data.configuration.robot_prefix(call.now);
    if wanted.level != robot.level() || wanted.name != format!("{prefix}{}", robot.stored_name) {
        return Err(Failure::bad_request("cannot update the level or name of robot"));
    }
    let default = call.data.configuration.number("robot_token_duration", call.now);
    let now = call.now;
    let robot = call.data.robots.get_mut(id).ok_or_else(|| missing(id))?;
    let duration = if duration == 0 { default } else { duration };
    if duration != robot.duration {
        robot.live_for(duration);
    }
    robot.description = wanted.description;
    robot.disabled = wanted.disable;
    robot.permissions = permissions.iter().map(Permission::from).collect();
    robot.updated = now;
    Ok(Reply::done())
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Robot> = call.id("robot_id")?;
    let name = found(call, id, "delete")?.stored_name.clone();
    call.data.robots.remove(id);
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "delete", "robot", &name, call.now);
    Ok(Reply::done())
}
