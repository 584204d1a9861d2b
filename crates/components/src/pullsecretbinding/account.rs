//! The robot account that an object names by its number.

use super::password::Password;
use crate::management::{self, Projects, Server};
use api::v1beta1::PullSecretBindingSpec;
use harborstate::{
    Found, State as _,
    numbered_robot::{NumberedRobot, numbered},
    robot::{Facts, Robot, SECRET},
};
use jiff::Timestamp;
use plan::{
    All as _, DeletionBehavior, Desired, External, IfAbsent, IfExists, ObjectKey, PlanError, System, World,
};

/// A robot account.
pub(super) struct Account {
    /// Its name, see [`harborstate::robot`].
    name: String,
    /// The user name to log in with.
    pub login: String,
}

/// The robot account of a spec; `None` if there is no Harbor to ask.
pub(super) fn find(
    spec: &PullSecretBindingSpec,
    (system, namespace): (&System, &str),
    server: &Server,
    world: &World<'_>,
) -> Result<Option<Account>, PlanError> {
    let projects = Projects { system, server, namespace, world };
    let (project, robot) =
        (Project::of(spec, projects), number(spec.robot_id.as_deref(), "spec.robotId")).all()?;
    let Some(Project { id, field, shown }) = project else { return Ok(None) };
    let found = world.external(system, NumberedRobot::COLLECTION, &numbered(id, robot))?;
    let found = found.and_then(|found| serde_json::from_value::<NumberedRobot>(found).ok());
    let name = match found {
        Some(NumberedRobot { name }) => name,
        None if server.state().is_none() => return Ok(None),
        None => {
            return Err(PlanError::invalid(
                "spec.robotId",
                format!("{shown} has no robot account with the id {robot}"),
                format!("correct {field} and spec.robotId, or name a HarborRobot in spec.robotRef"),
            ));
        }
    };
    match harborstate::part(Robot::COLLECTION, &name) {
        Some(project) => projects.names()?.check(project, field)?,
        None => projects.names()?.check_unlimited("spec.robotId")?,
    }
    let found = world.external(system, Robot::COLLECTION, &name)?;
    let Some(found) = found.and_then(|found| serde_json::from_value::<Found<Robot, Facts>>(found).ok())
    else {
        let object = ObjectKey::external(system, Robot::COLLECTION, &name);
        return Err(PlanError::unsettled(object, "does not exist in Harbor any more"));
    };
    check(&found, world)?;
    Ok(Some(Account { name, login: found.facts.login }))
}

/// The project of a robot account.
struct Project {
    id: u32,
    /// The field that names it.
    field: &'static str,
    /// How messages name it.
    shown: String,
}

impl Project {
    /// The project that a spec names by its id or by its name; `None` if there is no Harbor to ask for the id.
    fn of(spec: &PullSecretBindingSpec, projects: Projects<'_>) -> Result<Option<Self>, PlanError> {
        let Some(name) = &spec.project_name else {
            let field = "spec.projectId";
            let id = number(spec.project_id.as_deref(), field)?;
            return Ok(Some(Self { id, field, shown: format!("the project with the id {id}") }));
        };
        let field = "spec.projectName";
        if spec.project_id.is_some() {
            let problem = "is set beside spec.projectId";
            return Err(PlanError::invalid(field, problem, "keep the one that names the project"));
        }
        let id = projects.id(name, field)?;
        Ok(id.map(|id| Self { id, field, shown: format!("project {name}") }))
    }
}

fn number(text: Option<&str>, field: &str) -> Result<u32, PlanError> {
    let text = text.unwrap_or_default();
    let invalid = || {
        PlanError::invalid(
            field,
            format!("{text:?} is no id"),
            "write the digits that Harbor shows in the address of the project, or in the answer to GET /robots",
        )
    };
    text.parse().map_err(|_| invalid())
}

/// Refuses a robot account that Harbor does not let in.
fn check(found: &Found<Robot, Facts>, world: &World<'_>) -> Result<(), PlanError> {
    let login = &found.facts.login;
    if found.state.disable == Some(true) {
        return Err(PlanError::invalid(
            "spec.robotId",
            format!("the robot account {login} is disabled"),
            "enable it in Harbor",
        ));
    }
    let end = Some(found.facts.expires_at).filter(|second| *second > 0);
    match end.and_then(|second| Timestamp::from_second(second).ok()).filter(|end| world.clock().is_past(*end))
    {
        None => Ok(()),
        Some(end) => Err(PlanError::invalid(
            "spec.robotId",
            format!("the robot account {login} expired at {end}"),
            "raise its duration in Harbor",
        )),
    }
}

impl Account {
    /// The robot account with this password, and otherwise as it is. It stays when its owner is deleted.
    pub fn with_password(&self, system: &System, password: &Password) -> Result<Desired, PlanError> {
        let secret = password.known().map(|password| (SECRET.to_owned(), password.into()));
        let external = External {
            write_only: secret.into_iter().collect(),
            if_exists: IfExists::Adopt,
            if_absent: IfAbsent::Refuse { remedy: "correct spec.robotId".into() },
            ..management::object(system, &self.name, &Robot::default())?
        };
        Ok(Desired::external(external).on_deletion(DeletionBehavior::Kept))
    }
}
