//! The quiet of JobService while the database is migrated: no job may meet two versions of it.

use super::{
    super::{
        quiet::{self, Drain, Occasion, Quiet},
        rotation,
        validated::Validated,
    },
    steps::{Course, Stage, Step},
};
use api::v1beta1::JobService;
use plan::{PlanError, World};
use std::time::Duration;

/// How quiet JobService is, in the course of an upgrade, or else of a rotation.
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
        Some(Stage::Prepared(since)) => Some(Drain::since(since, longest)),
    };
    let occasion = drain.zip(until);
    let occasion =
        occasion.map(|(drain, version)| Occasion { drain, until: format!("Core has version {version}") });
    let occasion = occasion.or(rotation::occasion(wanted, world)?);
    Quiet::of(&wanted.at(version.clone()), jobservice, occasion.as_ref(), world)
}

/// How long jobs may go on.
pub(super) fn longest(harbor: &Validated<'_>) -> Result<Duration, PlanError> {
    let limit = harbor.installation.upgrade.as_ref().and_then(|upgrade| upgrade.drain_timeout.as_ref());
    quiet::longest(limit, "spec.upgrade.drainTimeout")
}

/// Whether the upgrade has JobService be quiet.
pub(super) fn is_wanted(course: &Course) -> bool {
    matches!(course.migration, Some(Stage::Prepared(_) | Stage::Begun))
}

/// What the migration waits for, if it must not begin yet.
pub(super) fn holds(course: &Course, quiet: &Quiet) -> Option<&'static str> {
    match course.migration {
        Some(Stage::Ahead | Stage::Prepared(_)) if !quiet.is_reached() => Some("JobService is drained first"),
        None | Some(_) => None,
    }
}
