//! What an upgrade goes on to: its hops, and why the next one waits.

use super::{
    super::{quiet::Quiet, validated::Validated},
    drain,
    steps::Course,
};
use crate::versions::{Feature, Hop, notes};
use api::v1beta1::{Core, JobService};
use plan::{ObjectKey, Outlook, PlanError, PlannedStep};
use std::time::Duration;

/// The hops that are under way or ahead.
pub(super) fn outlook(
    wanted: &Validated<'_>,
    Course { ahead, waits, .. }: &Course,
    quiet: &Quiet,
) -> Result<Outlook, PlanError> {
    let drains = quiet.waits().map(str::to_owned);
    let waits: Vec<_> = waits.iter().cloned().chain(drains.clone()).collect();
    let waits = match ahead.first().filter(|_| !waits.is_empty()) {
        Some(Hop { from, to }) => {
            let after: Vec<_> = ahead.iter().skip(1).map(|hop| hop.to.to_string()).collect();
            let after = if after.is_empty() {
                String::new()
            } else {
                format!("; {} follows after it", after.join(", "))
            };
            let why = format!("the upgrade from {from} to {to} waits: {}{after}", waits.join(", "));
            Some((ObjectKey::of::<Core>(wanted.namespace, &wanted.name), why))
        }
        // The queues of JobService may stay paused after the last hop.
        None => drains.map(|why| (ObjectKey::of::<JobService>(wanted.namespace, &wanted.name), why)),
    };
    let longest = drain::longest(wanted)?;
    let steps: Vec<_> = ahead.iter().map(|hop| step(hop, longest)).collect();
    let says_nothing = matches!(steps.as_slice(), [only] if only.remarks.is_empty());
    Ok(Outlook { steps: if says_nothing { Vec::new() } else { steps }, waits, ..Outlook::default() })
}

fn step(hop: &Hop, longest: Duration) -> PlannedStep {
    let Hop { from, to } = hop;
    let jobs = hop.schema().map(|_| {
        if from.has(Feature::JobQueues) {
            let minutes = longest.as_secs().div_ceil(60);
            format!(
                "pauses the queues of JobService, waits up to {minutes} min until no job runs, and stops JobService meanwhile"
            )
        } else {
            format!("stops JobService meanwhile: Harbor {from} can neither pause its queues nor show its jobs")
        }
    });
    let schema = hop.schema().map(|schema| format!("migrates the database to schema version {schema}"));
    let one_way =
        hop.is_one_way().then(|| "cannot be taken back without a backup of the database".to_owned());
    let failures: Vec<_> = hop.failures_of_old_core().collect();
    let core = hop.schema().map(|_| match failures.as_slice() {
        [] => format!("Core {from} goes on serving meanwhile"),
        failures => format!(
            "stops Core meanwhile, so that nothing can be pushed or pulled: in Core {from} {} would fail on the new schema",
            failures.join(" and ")
        ),
    });
    let notes = notes(from.minor(), to.minor()).map(str::to_owned);
    PlannedStep {
        name: format!("Harbor {to}, from {from}"),
        remarks: schema.into_iter().chain(jobs).chain(core).chain(one_way).chain(notes).collect(),
    }
}
