//! Robot accounts of projects by number, which are only read.

use super::robots::{name, prefix};
use crate::{
    client::Client,
    failure::system_error,
    manage::{Manage, Objects, shown},
};
use harbor::{ProjectId, robots::Owner};
use harborstate::{
    NoFacts,
    numbered_robot::{NumberedRobot, numbered},
};
use plan::SystemError;

/// The collection `numbered robot`.
pub(crate) struct NumberedRobots;

impl Manage for NumberedRobots {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part.and_then(|project| project.parse::<u32>().ok()) else {
            return Ok(Objects::new());
        };
        let owner = Owner::Project { id: ProjectId(project.into()), name: "" };
        let robots = client.harbor.robots().list(owner).await.map_err(system_error)?;
        let prefix = prefix(client).await?;
        let mut objects = Objects::new();
        for robot in &robots {
            // The permission of a project's robot names the project.
            let permission = robot.permissions.first();
            let Some((id, permission)) = u32::try_from(robot.id.0).ok().zip(permission) else { continue };
            let name = name(&robot.name, &prefix, Some(&permission.namespace));
            objects.insert(numbered(project, id), shown(NumberedRobot { name }, NoFacts {})?);
        }
        Ok(objects)
    }
}
