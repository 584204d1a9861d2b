//! The robot accounts that a HarborRobot has at a time, and the Secrets in which the operator keeps their passwords.

use super::turns::Turns;
use crate::{management::Projects, values::whole_seconds};
use api::{
    names::ROTATE_AT_ANNOTATION,
    v1beta1::{
        CreationPolicy, GoDuration, HarborRobot, HarborRobotSpec,
        harborrobot::{RobotLevel, RobotRotation},
    },
};
use harborstate::{
    Found, State as _,
    robot::{Facts, Robot, project_robot},
};
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
    /// What the operator records in this Secret when it creates it.
    pub record: Option<String>,
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
        let rotation = spec.rotation.as_ref();
        let interval = rotation.map(interval).transpose()?.flatten();
        let period = interval.map(|interval| projects.world.clock().periods_since(start(owner), interval));
        match rotation.map(overlap).transpose()?.flatten() {
            None => {
                let password = first_password(owner, request(owner), period.unwrap_or_default())?;
                Ok(Self { current: Account { name, password, record: None }, previous: None })
            }
            Some(overlap) => {
                check_policies(spec)?;
                Turns { owner, projects, name: &name, overlap, period }.accounts()
            }
        }
    }
}

/// A robot account as Harbor shows it.
pub(super) fn found(name: &str, projects: Projects<'_>) -> Result<Option<Found<Robot, Facts>>, PlanError> {
    let found = projects.world.external(projects.system, Robot::COLLECTION, name)?;
    Ok(found.and_then(|found| serde_json::from_value(found).ok()))
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
    let interval = interval(owner.spec.rotation.as_ref()?).ok().flatten()?;
    Some((interval, clock.periods_since(start(owner), interval)))
}

/// The beginning of the first period.
fn start(owner: &HarborRobot) -> Timestamp {
    owner.creation_timestamp().map_or(Timestamp::UNIX_EPOCH, |time| time.0)
}

/// The value with which a user last asked for a renewal.
pub(super) fn request(owner: &HarborRobot) -> Option<&String> {
    owner.annotations().get(ROTATE_AT_ANNOTATION)
}

/// Refuses an overlap whose end would leave the previous robot account in Harbor, with its password.
fn check_policies(spec: &HarborRobotSpec) -> Result<(), PlanError> {
    let creates = spec.effective_creation_policy() == CreationPolicy::Create;
    if creates && spec.effective_deletion_policy().deletes() {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.rotation.overlap",
        "the operator must create a robot account for each renewal, and delete it after the overlap",
        "set spec.creationPolicy to Create and spec.deletionPolicy to Delete, or remove the overlap",
    ))
}

fn interval(rotation: &RobotRotation) -> Result<Option<Duration>, PlanError> {
    rotation.interval.as_ref().map(|interval| duration(interval, "spec.rotation.interval")).transpose()
}

/// How long the credentials before a renewal stay valid.
pub(super) fn overlap(rotation: &RobotRotation) -> Result<Option<Duration>, PlanError> {
    rotation.overlap.as_ref().map(|overlap| duration(overlap, "spec.rotation.overlap")).transpose()
}

fn duration(duration: &GoDuration, field: &str) -> Result<Duration, PlanError> {
    whole_seconds(duration, field).map(Duration::from_secs)
}

/// The name of the Secret with the first password, or, without an overlap, with the only one. It depends on everything that a
/// user renews a password with.
pub(super) fn first_password(
    owner: &HarborRobot,
    request: Option<&String>,
    period: u64,
) -> Result<String, PlanError> {
    match (request, period) {
        (None, 0) => secret_name(owner, None),
        renewal => {
            // Texts and numbers always have a JSON form.
            let digest = Digest::of(&renewal).map(|digest| digest.to_string()).unwrap_or_default();
            secret_name(owner, Some(digest.chars().take(SHORT).collect()))
        }
    }
}

/// The name of a Secret with a password.
pub(super) fn secret_name(owner: &HarborRobot, suffix: Option<String>) -> Result<String, PlanError> {
    let first = format!("{}-robot", owner.name_any());
    let name = suffix.map_or_else(|| first.clone(), |suffix| format!("{first}-{suffix}"));
    if name.len() <= LONGEST {
        return Ok(name);
    }
    Err(PlanError::invalid(
        "metadata.name",
        format!("the Secret with the password is called {name:?}, which is longer than {LONGEST} characters"),
        format!("use a name of at most {} characters", LONGEST - "-robot-".len() - SHORT),
    ))
}
