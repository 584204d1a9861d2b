//! Reading robots.

use super::{Listed, Robot};
use crate::{
    call::Call,
    failure::Failure,
    projects::Project,
    rest::{Reply, Term},
    state::Id,
    version::Change,
};

/// Which robots a query asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    System,
    Project(Id<Project>),
    /// Up to 2.9, the query `Level=system` also returns the robots of all projects.
    Everything,
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let number = filter.get("ProjectID").and_then(Term::exact).and_then(|number| number.parse().ok());
    let asked = match filter.get("Level").and_then(Term::exact) {
        Some("project") => {
            let number = number
                .ok_or_else(|| Failure::bad_request("must with project ID when to query project robots"))?;
            Asked::Project(Id::new(number))
        }
        Some("system") if !call.has(Change::FiltersRobotsByLevel) => Asked::Everything,
        Some("system") | None => Asked::System,
        Some(level) => return Err(Failure::bad_request(format!("bad request error level input: {level}"))),
    };
    match asked {
        Asked::Project(project) if call.data.projects.get(project).is_none() => {
            return Err(call.missing_project(&project.to_string()));
        }
        Asked::Project(project) => call.in_project(project, "robot", "list")?,
        Asked::System | Asked::Everything => call.on_system("robot", "list")?,
    }
    let robots = call.data.robots.iter().filter(|(_, robot)| match asked {
        Asked::System => robot.project.is_none(),
        Asked::Project(project) => robot.project == Some(project),
        Asked::Everything => true,
    });
    let prefix = call.data.configuration.robot_prefix(call.now);
    call.listed(&filter, "name", robots.map(|(id, robot)| Listed(id, robot)), |Listed(id, robot)| {
        robot.show(id, &prefix, call.version())
    })
}

/// The first API, which knows the robots of a project only.
pub(super) fn list_of_project(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name_or_id", "robot", "list")?;
    let robots = call.data.robots.iter().filter(|(_, robot)| robot.project == Some(project));
    let prefix = call.data.configuration.robot_prefix(call.now);
    call.listed(&filter, "name", robots.map(|(id, robot)| Listed(id, robot)), |Listed(id, robot)| {
        robot.show(id, &prefix, call.version())
    })
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("robot_id")?;
    let robot = found(call, id, "read")?;
    let prefix = call.data.configuration.robot_prefix(call.now);
    Ok(Reply::json(robot.show(id, &prefix, call.version())))
}

/// Returns a robot, or refuses a caller without this permission on it.
pub(super) fn found<'a>(call: &'a Call<'_>, id: Id<Robot>, action: &str) -> Result<&'a Robot, Failure> {
    call.authenticated()?;
    let robot = call.data.robots.get(id).ok_or_else(|| missing(id))?;
    match robot.project {
        Some(project) => call.in_project(project, "robot", action)?,
        None => call.on_system("robot", action)?,
    }
    Ok(robot)
}

pub(super) fn missing(id: Id<Robot>) -> Failure {
    Failure::not_found(format!("robot {id} not found"))
}
