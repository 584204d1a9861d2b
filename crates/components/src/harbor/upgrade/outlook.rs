//! What an upgrade goes on to: its hops, and why the next one waits.

use super::{super::validated::Validated, steps::Course};
use crate::versions::{Hop, notes};
use api::v1beta1::Core;
use plan::{ObjectKey, Outlook, PlannedStep};

/// The hops that are under way or ahead.
pub(super) fn outlook(wanted: &Validated<'_>, Course { ahead, waits, .. }: &Course) -> Outlook {
    let waits = ahead.first().filter(|_| !waits.is_empty()).map(|Hop { from, to }| {
        let after: Vec<_> = ahead.iter().skip(1).map(|hop| hop.to.to_string()).collect();
        let after =
            if after.is_empty() { String::new() } else { format!("; {} follows after it", after.join(", ")) };
        let why = format!("the upgrade from {from} to {to} waits: {}{after}", waits.join(", "));
        (ObjectKey::of::<Core>(wanted.namespace, &wanted.name), why)
    });
    let steps: Vec<_> = ahead.iter().map(step).collect();
    let says_nothing = matches!(steps.as_slice(), [only] if only.remarks.is_empty());
    Outlook { steps: if says_nothing { Vec::new() } else { steps }, waits, ..Outlook::default() }
}

fn step(hop: &Hop) -> PlannedStep {
    let Hop { from, to } = hop;
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
        remarks: schema.into_iter().chain(core).chain(one_way).chain(notes).collect(),
    }
}
