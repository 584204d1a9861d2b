//! Robot accounts of projects by number, for objects that name them like that. They are only read. The name of an object is the
//! number of the project and that of the robot: `7/3`.

use crate::{
    names::in_project,
    state::{NoFacts, State},
};
use serde::{Deserialize, Serialize};

/// A robot account of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NumberedRobot {
    /// Its name, see [`crate::robot`].
    pub name: String,
}

impl State for NumberedRobot {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "numbered robot";
}

/// The name of the object for the robot account with this number in the project with this number.
pub fn numbered(project: u32, robot: u32) -> String {
    in_project(&project.to_string(), &robot.to_string())
}
