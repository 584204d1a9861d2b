//! The quiet of JobService while the database is migrated: no job may meet two versions of it.

use super::{
    super::{
        quiet::{Drain, Occasion, Quiet},
        validated::Validated,
    },
    steps::{Course, Stage, Step},
};
use crate::values::whole_seconds;
use api::v1beta1::JobService;
use jiff::Timestamp;
use plan::{PlanError, World};
use std::time::Duration;

/// How long jobs may go on, unless the spec says so.
pub(super) const LONGEST: Duration = Duration::from_mins(10);

/// How quiet JobService is, in the course of an upgrade.
pub(super) fn quiet(
    wanted: &Validated<'_>,
    jobservice: Option<JobService>,
    course: &Course,
    world: &World<'_>,
) -> Result<Quiet, PlanError> {
    let longest = longest(wanted)?;
    let (until, version) = match &course.step {
        Step::Stay { at } => (None, at),
        Step::Move(hop) => (Some(&hop.to), &hop.from),
    };
    let drain = match course.migration {
        None | Some(Stage::Ahead) => None,
        Some(Stage::Begun) => Some(Drain::Over),
        Some(Stage::Prepared(since)) => {
            Some(Drain::Until(since.checked_add(longest).unwrap_or(Timestamp::MAX)))
        }
    };
    let occasion = drain.zip(until);
    let occasion =
        occasion.map(|(drain, version)| Occasion { drain, until: format!("Core has version {version}") });
    Quiet::of(&wanted.at(version.clone()), jobservice, occasion.as_ref(), world)
}

/// How long jobs may go on.
pub(super) fn longest(harbor: &Validated<'_>) -> Result<Duration, PlanError> {
    let requested = harbor.installation.upgrade.as_ref().and_then(|upgrade| upgrade.drain_timeout.as_ref());
    let seconds = requested.map(|longest| whole_seconds(longest, "spec.upgrade.drainTimeout")).transpose()?;
    Ok(seconds.map_or(LONGEST, Duration::from_secs))
}

/// What the migration waits for, if it must not begin yet.
pub(super) fn holds(course: &Course, quiet: &Quiet) -> Option<&'static str> {
    match course.migration {
        Some(Stage::Ahead | Stage::Prepared(_)) if !quiet.is_reached() => Some("JobService is drained first"),
        None | Some(_) => None,
    }
}
