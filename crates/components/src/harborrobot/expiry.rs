//! Robot accounts that have expired.

use super::accounts::Account;
use crate::management::Projects;
use api::v1beta1::HarborRobotSpec;
use harborstate::{
    Found, State as _,
    robot::{Facts, NEVER, Robot},
};
use jiff::Timestamp;
use plan::PlanError;

/// Refuses a robot account that has expired, unless the spec gives it another duration now. Nothing else shows it: Harbor
/// keeps the robot account, and treats a client that logs in with it as one without credentials.
///
/// A robot account that another one replaces before it expires needs no check.
pub(super) fn check(
    spec: &HarborRobotSpec,
    account: &Account,
    projects: Projects<'_>,
) -> Result<(), PlanError> {
    if spec.rotation.as_ref().is_some_and(|rotation| rotation.overlap.is_some()) {
        return Ok(());
    }
    let found = projects.world.external(projects.system, Robot::COLLECTION, &account.name)?;
    let found = found.and_then(|found| serde_json::from_value::<Found<Robot, Facts>>(found).ok());
    let unchanged = found.filter(|found| found.state.duration == Some(spec.duration.unwrap_or(NEVER)));
    let end = unchanged.filter(|found| found.facts.expires_at > 0);
    let end = end.and_then(|found| Timestamp::from_second(found.facts.expires_at).ok());
    match end.filter(|end| projects.world.is_past(*end)) {
        None => Ok(()),
        Some(end) => Err(PlanError::invalid(
            "spec.duration",
            format!("the robot account expired at {end}"),
            "raise it, because Harbor counts the days from the creation of the robot account, or set it to -1",
        )),
    }
}
