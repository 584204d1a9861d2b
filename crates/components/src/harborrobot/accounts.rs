//! The robot accounts that a HarborRobot has at a time, and the Secrets in which the operator keeps their passwords.

use crate::management::Projects;
use api::{
    names::ROTATE_AT_ANNOTATION,
    v1beta1::{HarborRobot, harborrobot::RobotLevel},
};
use harborstate::robot::project_robot;
use kube::ResourceExt as _;
use plan::{Digest, PlanError};

/// Longest name of a Secret.
const LONGEST: usize = 253;
/// How much of a digest is in the name of a Secret.
const SHORT: usize = 8;

/// A robot account.
pub(super) struct Account {
    /// Its name, see [`harborstate::robot`].
    pub name: String,
    /// The Secret with its password.
    pub password: String,
}

/// The robot accounts of a HarborRobot.
pub(super) struct Accounts {
    /// The one whose credentials the output Secret has.
    pub current: Account,
    /// The one before, while it is still valid.
    pub previous: Option<Account>,
}

impl Accounts {
    /// The robot accounts that a HarborRobot has now.
    pub fn of(owner: &HarborRobot, projects: Projects<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let name = match spec.level {
            RobotLevel::System => spec.robot_name.clone(),
            RobotLevel::Project => project_robot(&projects.named(&spec.project)?, &spec.robot_name),
        };
        let password = password(owner, 0)?;
        Ok(Self { current: Account { name, password }, previous: None })
    }
}

/// The name of the Secret with the password of a period. It depends on everything that a user renews a password with.
fn password(owner: &HarborRobot, period: u64) -> Result<String, PlanError> {
    let first = format!("{}-robot", owner.name_any());
    let request = owner.annotations().get(ROTATE_AT_ANNOTATION);
    let name = match (request, period) {
        (None, 0) => first,
        renewal => {
            // Texts and numbers always have a JSON form.
            let digest = Digest::of(&renewal).map(|digest| digest.to_string()).unwrap_or_default();
            format!("{first}-{}", digest.chars().take(SHORT).collect::<String>())
        }
    };
    if name.len() <= LONGEST {
        return Ok(name);
    }
    Err(PlanError::invalid(
        "metadata.name",
        format!("the Secret with the password is called {name:?}, which is longer than {LONGEST} characters"),
        format!("use a name of at most {} characters", LONGEST - "-robot-".len() - SHORT),
    ))
}
