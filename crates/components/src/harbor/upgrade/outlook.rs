//! What an upgrade goes on to: its hops, what each of them takes away and asks of the user, and why the next one waits.

use super::{
    super::{parts::store_of_images, quiet::Quiet, validated::Validated},
    backup, drain,
    steps::Course,
};
use crate::{
    data::Claims,
    pods::Strategy,
    versions::{Feature, Hop, Subject, notes},
};
use api::v1beta1::{Core, JobService};
use plan::{ObjectKey, Outlook, PlanError, PlannedStep, Point, World};
use std::time::Duration;

/// The hops that are under way or ahead.
pub(super) fn outlook(
    wanted: &Validated<'_>,
    course: &Course,
    quiet: &Quiet,
    world: &World<'_>,
) -> Result<Outlook, PlanError> {
    let ahead = &course.ahead;
    let longest = drain::longest(wanted)?;
    let registry_is_away = if ahead.is_empty() { false } else { registry_is_away(wanted, world)? };
    let steps = ahead.iter().map(|hop| step(wanted, hop, registry_is_away, longest)).collect();
    let says_nothing = matches!(ahead.as_slice(), [only] if !only.migrates() && !only.is_one_way());
    let steps = if says_nothing { Vec::new() } else { steps };
    Ok(Outlook { steps, waits: waits(wanted, course, quiet), ..Outlook::default() })
}

/// What the next hop waits for, or else JobService.
fn waits(
    wanted: &Validated<'_>,
    Course { ahead, waits, .. }: &Course,
    quiet: &Quiet,
) -> Option<(ObjectKey, String)> {
    let drains = quiet.waits().map(str::to_owned);
    let waits: Vec<_> = waits.iter().cloned().chain(drains.clone()).collect();
    let Some(Hop { from, to }) = ahead.first().filter(|_| !waits.is_empty()) else {
        // The queues of JobService may stay paused after the last hop, or after a rotation. A rotation itself says what it waits
        // for.
        return drains
            .filter(|_| !quiet.is_wanted())
            .map(|why| (ObjectKey::of::<JobService>(wanted.namespace, &wanted.name), why));
    };
    let after: Vec<_> = ahead.iter().skip(1).map(|hop| hop.to.to_string()).collect();
    let after =
        if after.is_empty() { String::new() } else { format!("; {} follows after it", after.join(", ")) };
    let why = format!("the upgrade from {from} to {to} waits: {}{after}", waits.join(", "));
    Some((ObjectKey::of::<Core>(wanted.namespace, &wanted.name), why))
}

/// Whether the registry has no pod while its pod is replaced: two pods cannot mount its volume, or a user asks for that.
fn registry_is_away(wanted: &Validated<'_>, world: &World<'_>) -> Result<bool, PlanError> {
    let store = store_of_images(&wanted.spec.image_chart_storage);
    let volume = store.filesystem.as_ref().map(|filesystem| &filesystem.volume_source);
    let claims =
        Claims::read(volume.map(|volume| ("spec.imageChartStorage.filesystem".to_owned(), volume)), world)?;
    // The Registry refuses what is no strategy.
    let requested = Strategy::parse(&wanted.installation.update_strategy_type).unwrap_or_default();
    Ok(claims.strategy(requested) == Strategy::Recreate)
}

fn step(harbor: &Validated<'_>, hop: &Hop, registry_is_away: bool, longest: Duration) -> PlannedStep {
    let Hop { from, to } = hop;
    let of_notes = |subject: Subject| {
        let texts = notes(from.minor(), to.minor()).filter(move |(of, _)| *of == subject);
        texts.map(|(_, text)| text.to_owned())
    };
    let points = [
        ("Downtime", downtime(hop, registry_is_away)),
        ("Database", database(hop).into_iter().chain(of_notes(Subject::Migration)).collect()),
        ("Backup", backup(harbor, hop)),
        ("Jobs", jobs(hop, longest)),
        ("Ends", of_notes(Subject::End).collect()),
    ];
    let point = |about| move |text| Point { about, text };
    let points = points.into_iter().flat_map(|(about, texts)| texts.into_iter().map(point(about)));
    PlannedStep { name: format!("Harbor {to}, from {from}"), points: points.collect() }
}

/// When nothing can be pushed or pulled.
fn downtime(hop: &Hop, registry_is_away: bool) -> Vec<String> {
    let Hop { from, to } = hop;
    let failures: Vec<_> = hop.failures_of_old_core().collect();
    let core = (!failures.is_empty()).then(|| {
        format!(
            "no push and no pull while the database is migrated, until Core {to} is ready: in Core {from}, {} would fail on \
             the new schema",
            failures.join(" and ")
        )
    });
    let registry = registry_is_away.then(|| {
        "no push and no pull while the pod of the registry is replaced: it ends before the next one starts".to_owned()
    });
    let serves = if hop.migrates() {
        format!(
            "none: Core {from} serves while the database is migrated, and until pods of Core {to} are ready"
        )
    } else {
        format!("none: Core {from} serves until pods of Core {to} are ready")
    };
    let gaps: Vec<_> = core.into_iter().chain(registry).collect();
    if gaps.is_empty() { vec![serves] } else { gaps }
}

fn database(hop: &Hop) -> Option<String> {
    let migrated = hop.schema().map(|schema| format!("is migrated to schema version {schema}"));
    let one_way = hop
        .is_one_way()
        .then(|| format!("Core {} cannot use it afterwards, so a backup is the only way back", hop.from));
    match (migrated, one_way) {
        (Some(migrated), Some(one_way)) => Some(format!("{migrated}; {one_way}")),
        (migrated, one_way) => migrated.or(one_way),
    }
}

fn backup(harbor: &Validated<'_>, hop: &Hop) -> Vec<String> {
    let said = match backup::requested(harbor.installation) {
        Some(requested) if hop.migrates() => format!(
            "{} makes one first, as CronJob {} does; if it fails, this hop does not begin",
            backup::key(harbor, hop),
            requested.cron_job_ref
        ),
        None if hop.migrates() => {
            "none is made: make one before, or name a CronJob in spec.upgrade.backup".to_owned()
        }
        Some(_) | None if hop.is_one_way() => "none is made: make one before".to_owned(),
        Some(_) | None => return Vec::new(),
    };
    vec![said]
}

fn jobs(hop: &Hop, longest: Duration) -> Vec<String> {
    let Hop { from, to } = hop;
    let said = || {
        if from.has(Feature::JobQueues) {
            let minutes = longest.as_secs().div_ceil(60);
            format!(
                "none run from the migration until Core {to} is ready: the queues are paused, and jobs that run have {minutes} min \
                 to end"
            )
        } else {
            format!(
                "none run from the migration until Core {to} is ready: Harbor {from} can neither pause its queues nor show its \
                 jobs, so stop garbage collections and replications before"
            )
        }
    };
    hop.migrates().then(said).into_iter().collect()
}
