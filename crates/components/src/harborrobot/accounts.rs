//! The robot accounts that a HarborRobot has at a time, and the Secrets in which the operator keeps their passwords.

use crate::{management::Projects, values::whole_seconds};
use api::{
    names::ROTATE_AT_ANNOTATION,
    v1beta1::{CreationPolicy, GoDuration, HarborRobot, HarborRobotSpec, harborrobot::RobotLevel},
};
use harborstate::robot::project_robot;
use jiff::Timestamp;
use kube::ResourceExt as _;
use plan::{Clock, Digest, PlanError, after};
use std::time::Duration;

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
        let Some(rotation) = &spec.rotation else {
            return Ok(Self { current: Account { name, password: password(owner, 0)? }, previous: None });
        };
        let interval = duration(&rotation.interval, "spec.rotation.interval")?;
        let start = start(owner);
        let period = projects.world.clock().periods_since(start, interval);
        let Some(overlap) = &rotation.overlap else {
            return Ok(Self {
                current: Account { name, password: password(owner, period)? },
                previous: None,
            });
        };
        let overlap = duration(overlap, "spec.rotation.overlap")?;
        check_policies(spec)?;
        let account =
            |period| Ok(Account { name: alternate(&name, period), password: password(owner, period)? });
        let before = period.checked_sub(1).filter(|_| {
            let end = after(start, interval, period).and_then(|begun| begun.checked_add(overlap).ok());
            end.is_some_and(|end| !projects.world.clock().is_past(end))
        });
        Ok(Self { current: account(period)?, previous: before.map(account).transpose()? })
    }
}

/// When rotation next renews the robot account, or replaces it by another one.
pub(super) fn next_renewal(owner: &HarborRobot, clock: &Clock) -> Option<Timestamp> {
    let (interval, period) = period(owner, clock)?;
    after(start(owner), interval, period.checked_add(1)?)
}

/// When rotation last renewed the robot account. An overlap replaces it instead.
pub(super) fn last_renewal(owner: &HarborRobot, clock: &Clock) -> Option<Timestamp> {
    let is_replaced = owner.spec.rotation.as_ref().is_some_and(|rotation| rotation.overlap.is_some());
    let (interval, period) = period(owner, clock).filter(|(_, period)| *period > 0 && !is_replaced)?;
    after(start(owner), interval, period)
}

/// The interval of the rotation, and the number of the present one.
fn period(owner: &HarborRobot, clock: &Clock) -> Option<(Duration, u64)> {
    let rotation = owner.spec.rotation.as_ref()?;
    let interval = duration(&rotation.interval, "spec.rotation.interval").ok()?;
    Some((interval, clock.periods_since(start(owner), interval)))
}

/// The beginning of the first period.
fn start(owner: &HarborRobot) -> Timestamp {
    owner.creation_timestamp().map_or(Timestamp::UNIX_EPOCH, |time| time.0)
}

/// The robot account of a period: a robot account has one password, so that two of them take turns.
fn alternate(name: &str, period: u64) -> String {
    if period.is_multiple_of(2) { name.to_owned() } else { format!("{name}-2") }
}

/// Refuses an overlap whose end would leave the previous robot account in Harbor, with its password.
fn check_policies(spec: &HarborRobotSpec) -> Result<(), PlanError> {
    let creates = spec.effective_creation_policy() == CreationPolicy::Create;
    if creates && spec.effective_deletion_policy().deletes() {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.rotation.overlap",
        "the operator must create the robot account of each interval, and delete it after the overlap",
        "set spec.creationPolicy to Create and spec.deletionPolicy to Delete, or remove the overlap",
    ))
}

fn duration(duration: &GoDuration, field: &str) -> Result<Duration, PlanError> {
    whole_seconds(duration, field).map(Duration::from_secs)
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
