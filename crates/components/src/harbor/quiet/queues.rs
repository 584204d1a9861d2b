//! The queues of JobService, as Harbor's API shows them, and the change of them.

use super::super::validated::Validated;
use crate::management;
use api::v1beta1::Core;
use harborstate::{
    Found, State as _,
    job_queues::{Facts, JobQueues, NAME},
};
use plan::{
    Announcement, Builder, DeletionBehavior, Desired, External, IfAbsent, IfExists, PlanError, System, World,
};
use serde::Deserialize as _;
use std::collections::BTreeMap;

/// What Harbor shows.
pub(super) struct Observed {
    /// The queues.
    pub state: JobQueues,
    /// How many jobs run, by their type.
    pub running: BTreeMap<String, usize>,
}

/// The queues and the jobs that run, or why they are not known: that is no error, because a Harbor that does not answer must not
/// keep its operator from going on.
pub(super) fn observed(
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Result<Observed, String>, PlanError> {
    match world.serving::<Core>(&harbor.name) {
        Ok(_) => {}
        Err(error @ PlanError::Unread(_)) => return Err(error),
        Err(_) => return Ok(Err("Core is not available".into())),
    }
    let found = world.external(&system(harbor), JobQueues::COLLECTION, NAME)?;
    let found = found.and_then(|found| Found::<JobQueues, Facts>::deserialize(&found).ok());
    let Some(Found { state, facts: Facts { running, problem } }) = found else {
        return Ok(Err("Harbor does not show them".into()));
    };
    Ok(problem.map_or(Ok(Observed { state, running }), Err))
}

/// Jobs that run, as text; `None` if none does.
pub(super) fn described(running: &BTreeMap<String, usize>) -> Option<String> {
    let types: Vec<_> = running.iter().map(|(name, number)| format!("{name} ({number})")).collect();
    let number: usize = running.values().sum();
    let jobs = if number == 1 { "job" } else { "jobs" };
    (number > 0).then(|| format!("{number} {jobs}: {}", types.join(", ")))
}

/// Adds the change of these queues. Others are left as they are.
pub(super) fn add(
    harbor: &Validated<'_>,
    wanted: &JobQueues,
    graph: &mut Builder<'_>,
) -> Result<(), PlanError> {
    let Some(first) = wanted.queues.values().next() else { return Ok(()) };
    let names = wanted.queues.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let announcement = if first.paused {
        Announcement {
            reason: "JobQueuesPaused",
            note: format!("jobs wait in these queues of JobService: {names}"),
        }
    } else {
        Announcement {
            reason: "JobQueuesResumed",
            note: format!("jobs run again from these queues of JobService: {names}"),
        }
    };
    let external = External {
        if_exists: IfExists::Adopt,
        if_absent: IfAbsent::Refuse { remedy: "report this as a defect of the operator".into() },
        announcement: Some(announcement),
        ..management::object(&system(harbor), NAME, wanted)?
    };
    graph.add::<External>(Desired::external(external).on_deletion(DeletionBehavior::Kept), ());
    Ok(())
}

fn system(harbor: &Validated<'_>) -> System {
    harborstate::system(harbor.namespace, harbor.owner)
}
