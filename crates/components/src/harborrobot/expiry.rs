//! Robot accounts that expire.

use super::{
    accounts::{Account, found, last_renewal, next_renewal},
    status,
};
use crate::management::Projects;
use api::v1beta1::{HarborRobot, HarborRobotSpec, harborrobot::RobotRotation};
use harborstate::robot::NEVER;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plan::{Conclusion, KindCondition, PlanError};

/// The condition that is true from shortly before a robot account expires.
const EXPIRING: &str = "Expiring";

/// How long before the end users are warned, unless a third of the lifetime is shorter: a robot account that lives for a
/// week must not be reported from its first day on.
const WARNING: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The part of a lifetime that is its end.
const END: i32 = 3;

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// Whether the robot account expires soon. Rotation prevents it: with an overlap, another robot account replaces this one;
/// without, it lives for another `spec.duration`.
pub(super) fn condition(owner: &HarborRobot, conclusion: &Conclusion<'_>) -> KindCondition {
    let Some(Lifetime { end, days }) = Lifetime::of(owner, conclusion) else {
        return match status::newest(conclusion) {
            Some(_) => KindCondition::is_false(EXPIRING, "NeverExpires"),
            None => KindCondition::as_before(EXPIRING),
        };
    };
    let expires = format!("the robot account expires at {end}");
    if conclusion.clock.is_past(end) {
        return KindCondition::is_true(EXPIRING, "Expired")
            .with_message(format!("the robot account expired at {end}"));
    }
    if next_renewal(owner, conclusion.clock).is_some_and(|time| time <= end) {
        return KindCondition::is_false(EXPIRING, "Rotates")
            .with_message(format!("{expires}; rotation renews it before"));
    }
    let is_soon = end.checked_sub(warning(days)).is_ok_and(|begin| conclusion.clock.is_past(begin));
    if is_soon {
        return KindCondition::is_true(EXPIRING, "ExpiresSoon").as_warning().with_message(format!(
            "{expires}; raise spec.duration, because Harbor counts the days from the creation of the robot account, or \
             set it to -1"
        ));
    }
    KindCondition::is_false(EXPIRING, "NotSoon").with_message(expires)
}

/// How long before the end of a life of so many days users are warned.
fn warning(days: i64) -> SignedDuration {
    // No robot account lives for longer than an i32 has days.
    let life = SignedDuration::from_hours(i64::from(i32::try_from(days).unwrap_or(i32::MAX)) * 24);
    WARNING.min(life / END)
}

/// How long a robot account lives.
struct Lifetime {
    end: Timestamp,
    days: i64,
}

impl Lifetime {
    /// Of the newest robot account, as Harbor or, while that does not answer, the status shows it; `None` for ever, or if
    /// nothing is known.
    fn of(owner: &HarborRobot, conclusion: &Conclusion<'_>) -> Option<Self> {
        if let Some(robot) = status::newest(conclusion) {
            let end = Some(robot.facts.expires_at).filter(|second| *second > 0)?;
            // Harbor has a longer duration after a renewal, and another one until a change of the spec is sent.
            let days = robot.state.duration.filter(|days| *days > 0)?;
            let days = owner.spec.duration.filter(|days| *days > 0).map_or(days, |wanted| wanted.min(days));
            return Some(Self { end: Timestamp::from_second(end).ok()?, days });
        }
        let Time(end) = serde_json::from_value(conclusion.previous.get("expiresAt")?.clone()).ok()?;
        Some(Self { end, days: owner.spec.duration.filter(|days| *days > 0)? })
    }
}

/// The duration that Harbor is told. Harbor counts the days from the creation of the robot account, and users count them from
/// its last renewal by rotation.
pub(super) fn duration(
    owner: &HarborRobot,
    account: &Account,
    projects: Projects<'_>,
) -> Result<i64, PlanError> {
    let days = owner.spec.duration.unwrap_or(NEVER);
    let Some(renewed) = last_renewal(owner, projects.world.clock()).filter(|_| days != NEVER) else {
        return Ok(days);
    };
    let created =
        found(&account.name, projects)?.map(|found| found.facts.created_at).filter(|second| *second > 0);
    let age = created.map_or(0, |created| renewed.as_second().saturating_sub(created).max(0));
    // Rounded up: no robot account lives for less than its duration.
    Ok(days.saturating_add(age.saturating_add(DAY - 1) / DAY))
}

/// Refuses a robot account that has expired, unless it gets another `duration` now. Nothing else shows it: Harbor
/// keeps the robot account, and treats a client that logs in with it as one without credentials.
///
/// A robot account that another one replaces at an interval needs no check.
pub(super) fn check(
    spec: &HarborRobotSpec,
    (account, duration): (&Account, i64),
    projects: Projects<'_>,
) -> Result<(), PlanError> {
    let is_replaced = |rotation: &RobotRotation| rotation.interval.is_some() && rotation.overlap.is_some();
    if spec.rotation.as_ref().is_some_and(is_replaced) {
        return Ok(());
    }
    let unchanged = found(&account.name, projects)?.filter(|found| found.state.duration == Some(duration));
    let end = unchanged.filter(|found| found.facts.expires_at > 0);
    let end = end.and_then(|found| Timestamp::from_second(found.facts.expires_at).ok());
    match end.filter(|end| projects.world.clock().is_past(*end)) {
        None => Ok(()),
        Some(end) => Err(PlanError::invalid(
            "spec.duration",
            format!("the robot account expired at {end}"),
            "raise it, because Harbor counts the days from the creation of the robot account, or set it to -1",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::warning;
    use jiff::SignedDuration;

    #[test]
    fn users_are_warned_two_weeks_or_a_third_of_the_lifetime_before_the_end() {
        let hours = SignedDuration::from_hours;
        let lives = [1, 7, 30, 42, 90, i64::MAX];
        assert_eq!(lives.map(warning), [8, 7 * 8, 30 * 8, 14 * 24, 14 * 24, 14 * 24].map(hours));
    }
}
