//! Robot accounts.

mod name;
mod permission;

pub use name::robot_name;
pub use permission::{Access, Grant, Permission, PermissionKind, PermissionSet};

use crate::{
    Deletion, Harbor, ProjectId, RobotId, Secret,
    client::{Filter, Path},
    error::Error,
    words::words,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

impl Harbor {
    /// Robot accounts.
    pub fn robots(&self) -> Robots<'_> {
        Robots { harbor: self }
    }
}

/// Calls about robots. A robot is identified by its level, project and name.
#[derive(Clone, Copy, Debug)]
pub struct Robots<'h> {
    harbor: &'h Harbor,
}

const ROBOTS: &str = "/robots";

impl Robots<'_> {
    /// All robots of an owner. Up to 2.9, Harbor answers a question for those of the system with those of all projects.
    pub async fn list(&self, owner: Owner<'_>) -> Result<Vec<Robot>, Error> {
        let mut robots: Vec<Robot> =
            self.harbor.get(Path::new(ROBOTS)).filter(&owner.filter()).pages().await?;
        robots.retain(|robot| robot.level == owner.level());
        Ok(robots)
    }

    /// The robot of an owner with this name, which is the one that it was created with.
    ///
    /// The filter finds exactly one, whatever the prefix of robots is: it wants the name as the database has it.
    pub async fn find(&self, owner: Owner<'_>, name: &str) -> Result<Option<Robot>, Error> {
        let stored = owner.stored_name(name);
        let call = self.harbor.get(Path::new(ROBOTS)).filter(&owner.filter().exact("name", &stored));
        let found: Vec<Robot> = call.pages().await?;
        Ok(found.into_iter().find(|robot| robot.name.ends_with(&stored)))
    }

    /// The robot with this number.
    pub async fn get(&self, id: RobotId) -> Result<Option<Robot>, Error> {
        self.harbor.get(Path::new(ROBOTS).id(id)).json_if_found().await
    }

    /// Creates a robot. Harbor shows its secret only here.
    pub async fn create(&self, robot: &NewRobot) -> Result<CreatedRobot, Error> {
        self.harbor.post(Path::new(ROBOTS)).body(robot).json().await
    }

    /// Replaces permissions, description, duration and whether the robot is disabled.
    pub async fn update(&self, id: RobotId, update: &RobotUpdate) -> Result<(), Error> {
        self.harbor.put(Path::new(ROBOTS).id(id)).body(update).done().await
    }

    /// Sets the secret. The old one is void at once.
    pub async fn set_secret(&self, id: RobotId, secret: &Secret) -> Result<(), Error> {
        self.harbor.patch(Path::new(ROBOTS).id(id)).body(&SecretBody { secret }).done().await
    }

    /// Makes Harbor choose a new secret, and returns it. The old one is void at once.
    pub async fn renew_secret(&self, id: RobotId) -> Result<Secret, Error> {
        let empty = Secret::default();
        let call = self.harbor.patch(Path::new(ROBOTS).id(id)).body(&SecretBody { secret: &empty });
        let renewed: Renewed = call.json().await?;
        Ok(renewed.secret)
    }

    /// Deletes a robot.
    pub async fn delete(&self, id: RobotId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(ROBOTS).id(id)).gone().await
    }
}

words! {
    /// Whether a robot belongs to the system or to a project.
    pub enum RobotLevel {
        /// To the system.
        System = "system",
        /// To a project.
        Project = "project",
    }
}

/// What a robot belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// The system.
    System,
    /// A project.
    Project {
        /// Its number.
        id: ProjectId,
        /// Its name.
        name: &'a str,
    },
}

impl Owner<'_> {
    fn level(self) -> RobotLevel {
        match self {
            Self::System => RobotLevel::System,
            Self::Project { .. } => RobotLevel::Project,
        }
    }

    fn filter(self) -> Filter {
        match self {
            Self::System => Filter::default().exact("Level", RobotLevel::System),
            Self::Project { id, .. } => {
                Filter::default().exact("Level", RobotLevel::Project).exact("ProjectID", id)
            }
        }
    }

    /// The name in the database.
    fn stored_name(self, name: &str) -> String {
        match self {
            Self::System => name.to_owned(),
            Self::Project { name: project, .. } => format!("{project}+{name}"),
        }
    }
}

/// How long a robot lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    /// For ever.
    Never,
    /// So many days since its creation, at least one. A larger number renews the robot.
    Days(u32),
}

impl Serialize for Duration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(match self {
            Self::Never => -1,
            Self::Days(days) => i64::from(*days),
        })
    }
}

/// A robot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Robot {
    /// Its number.
    pub id: RobotId,
    /// Its name with the prefix of robots and, if it belongs to one, the project: the user name to log in with.
    pub name: String,
    /// A description.
    pub description: String,
    /// Whether it belongs to the system or to a project.
    pub level: RobotLevel,
    /// Days since its creation; -1 is for ever.
    pub duration: i64,
    /// When it expires, in seconds since 1970; -1 is never.
    pub expires_at: i64,
    /// Whether it is disabled.
    pub disable: bool,
    /// Whether it can be changed. Robots of the first generation cannot.
    pub editable: bool,
    /// Its permissions, in random order.
    pub permissions: Vec<Permission>,
    /// When it was created.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub creation_time: Option<Timestamp>,
}

impl Robot {
    /// What must be sent so that the robot is as `wanted`, or `None` if it is.
    pub fn changes(&self, wanted: &NewRobot) -> Option<RobotUpdate> {
        let days = match wanted.duration {
            Duration::Never => -1,
            Duration::Days(days) => i64::from(days),
        };
        let same = self.description == wanted.description
            && self.duration == days
            && self.disable == wanted.disable
            && PermissionSet::new(&self.permissions) == PermissionSet::new(&wanted.permissions);
        (!same).then(|| RobotUpdate {
            name: self.name.clone(),
            level: self.level.clone(),
            description: wanted.description.clone(),
            duration: wanted.duration,
            disable: wanted.disable,
            permissions: wanted.permissions.clone(),
        })
    }
}

/// A robot to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewRobot {
    /// Its name, without prefix and project.
    pub name: String,
    /// A description.
    pub description: String,
    /// Whether it belongs to the system or to a project.
    pub level: RobotLevel,
    /// How long it lives.
    pub duration: Duration,
    /// Whether it is disabled. Harbor ignores this at first; send what [`Robot::changes`] says.
    #[serde(skip)]
    pub disable: bool,
    /// Its permissions; those of a project's robot are exactly one, for that project.
    pub permissions: Vec<Permission>,
}

/// A robot that was created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CreatedRobot {
    /// Its number.
    pub id: RobotId,
    /// The user name to log in with.
    pub name: String,
    /// The secret, shown only once.
    pub secret: Secret,
    /// When it expires, in seconds since 1970; -1 is never.
    pub expires_at: i64,
}

/// A change of a robot. Harbor wants name and level repeated as it shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RobotUpdate {
    /// Its name, as Harbor shows it.
    pub name: String,
    /// Its level.
    pub level: RobotLevel,
    /// A description.
    pub description: String,
    /// How long it lives. Versions before 2.11 take the default if it is left out, so it never is.
    pub duration: Duration,
    /// Whether it is disabled.
    pub disable: bool,
    /// Its permissions.
    pub permissions: Vec<Permission>,
}

#[derive(Debug, Serialize)]
struct SecretBody<'a> {
    secret: &'a Secret,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Renewed {
    secret: Secret,
}

#[cfg(test)]
mod tests;
