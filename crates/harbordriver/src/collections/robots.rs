//! Robot accounts, with secrets of the operator's own.

use super::servers::DEFAULT_PREFIX;
use crate::{
    client::Client,
    failure::{missing, rejected, system_error},
    manage::{Manage, Objects, Sent, desired, found, shown},
    values::secret,
};
use harbor::{
    ProjectId, RobotId,
    robots::{self as api, Duration, NewRobot, Owner, RobotLevel, RobotUpdate, robot_name},
};
use harborstate::robot::{Access, Facts, NEVER, Permission, Robot, SECRET, permissions, project_robot};
use jiff::Timestamp;
use plan::{External, SystemError};
use serde_json::Value;
use std::collections::BTreeSet;

/// The collection `robot`.
pub(crate) struct Robots;

impl Manage for Robots {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let id = match part {
            None => ProjectId(0),
            Some(project) => match client.project(project).await? {
                Some(project) => project.id,
                None => return Ok(Objects::new()),
            },
        };
        let owner = part.map_or(Owner::System, |name| Owner::Project { id, name });
        let robots = client.harbor.robots().list(owner).await.map_err(system_error)?;
        let prefix = prefix(client).await?;
        robots.iter().map(|robot| Ok((name(&robot.name, &prefix, part), state(robot)?))).collect()
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        read(client, name).await?.as_ref().map(state).transpose()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let robot: Robot = desired(wanted)?;
        let (project, name) = split(&wanted.name);
        if let Some(project) = project
            && client.project(project).await?.is_none()
        {
            return Err(missing("project", project));
        }
        let new = NewRobot {
            name: name.to_owned(),
            description: robot.description.unwrap_or_default(),
            level: if project.is_some() { RobotLevel::Project } else { RobotLevel::System },
            duration: duration(robot.duration.unwrap_or(NEVER))?,
            disable: robot.disable.unwrap_or_default(),
            permissions: sent(&robot.permissions.unwrap_or_default()),
        };
        client.harbor.robots().create(&new).await.map(drop).map_err(system_error)
    }

    /// Harbor chooses the secret of a new robot, and creates it enabled.
    async fn complete(client: &Client, wanted: &External, actual: &Value) -> Result<Sent, SystemError> {
        let differs = !wanted.differences(actual).is_empty();
        if differs || wanted.write_only.contains_key(SECRET) {
            Self::update(client, wanted, actual).await?;
        }
        Ok(if differs { Sent::Something } else { Sent::Nothing })
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let robot: Robot = desired(wanted)?;
        let actual = found::<Robot>(actual)?;
        if !actual.facts.editable {
            return Err(rejected(
                "the robot is of the first generation, which Harbor cannot change",
                "delete it and have it created again",
            ));
        }
        let id = RobotId(actual.facts.id);
        if let Some(secret) = secret(wanted, SECRET) {
            client.harbor.robots().set_secret(id, &secret).await.map_err(system_error)?;
        }
        let both = Robot {
            description: robot.description.or_else(|| actual.state.description.clone()),
            duration: robot.duration.or(actual.state.duration),
            disable: robot.disable.or(actual.state.disable),
            permissions: robot.permissions.or_else(|| actual.state.permissions.clone()),
        };
        if both == actual.state {
            return Ok(());
        }
        let (project, _) = split(&wanted.name);
        let update = RobotUpdate {
            name: actual.facts.login,
            level: if project.is_some() { RobotLevel::Project } else { RobotLevel::System },
            description: both.description.unwrap_or_default(),
            duration: duration(both.duration.unwrap_or(NEVER))?,
            disable: both.disable.unwrap_or_default(),
            permissions: sent(&both.permissions.unwrap_or_default()),
        };
        client.harbor.robots().update(id, &update).await.map_err(system_error)
    }

    async fn delete(client: &Client, _: &str, actual: &Value) -> Result<(), SystemError> {
        let id = RobotId(found::<Robot>(actual)?.facts.id);
        client.harbor.robots().delete(id).await.map(drop).map_err(system_error)
    }
}

/// The project and the name of a robot.
fn split(name: &str) -> (Option<&str>, &str) {
    name.split_once('+').map_or((None, name), |(project, name)| (Some(project), name))
}

async fn read(client: &Client, name: &str) -> Result<Option<api::Robot>, SystemError> {
    let (project, name) = split(name);
    let owner = match project {
        None => Owner::System,
        Some(project) => match client.project(project).await? {
            Some(found) => Owner::Project { id: found.id, name: project },
            None => return Ok(None),
        },
    };
    client.harbor.robots().find(owner, name).await.map_err(system_error)
}

pub(super) async fn prefix(client: &Client) -> Result<String, SystemError> {
    let info = client.harbor.server_info().await.map_err(system_error)?;
    let prefix = info.settings.as_ref().map(|settings| settings.robot_name_prefix.clone());
    Ok(prefix.unwrap_or_else(|| DEFAULT_PREFIX.to_owned()))
}

/// The name of a robot's object. Where the prefix does not fit, since it has just changed or cannot be read,
/// that of a project's robot is found behind the project's.
pub(super) fn name(login: &str, prefix: &str, project: Option<&str>) -> String {
    let behind = |project: &str| login.rsplit_once(&format!("{project}+")).map(|(_, name)| name);
    let name = robot_name(login, prefix, project).or_else(|| project.and_then(behind)).unwrap_or(login);
    project.map_or_else(|| name.to_owned(), |project| project_robot(project, name))
}

fn state(robot: &api::Robot) -> Result<Value, SystemError> {
    let access = |access: &api::Access| Access::new(&access.resource, &access.action);
    let permission = |permission: &api::Permission| Permission {
        kind: permission.kind.to_string(),
        namespace: permission.namespace.clone(),
        access: permission.access.iter().map(access).collect(),
    };
    let state = Robot {
        description: Some(robot.description.clone()),
        duration: Some(robot.duration),
        disable: Some(robot.disable),
        permissions: Some(permissions(robot.permissions.iter().map(permission))),
    };
    let facts = Facts {
        id: robot.id.0,
        login: robot.name.clone(),
        expires_at: robot.expires_at,
        created_at: robot.creation_time.map_or(0, Timestamp::as_second),
        editable: robot.editable,
    };
    shown(state, facts)
}

fn sent(permissions: &BTreeSet<Permission>) -> Vec<api::Permission> {
    let access = |access: &Access| api::Access::new(&access.resource, &access.action);
    let permission = |permission: &Permission| api::Permission {
        kind: permission.kind.as_str().into(),
        namespace: permission.namespace.clone(),
        access: permission.access.iter().map(access).collect(),
    };
    permissions.iter().map(permission).collect()
}

fn duration(days: i64) -> Result<Duration, SystemError> {
    match u32::try_from(days) {
        Ok(days) if days > 0 => Ok(Duration::Days(days)),
        _ if days == NEVER => Ok(Duration::Never),
        _ => {
            Err(rejected(format!("a robot cannot live {days} days"), "use a number above 0, or -1 for ever"))
        }
    }
}
