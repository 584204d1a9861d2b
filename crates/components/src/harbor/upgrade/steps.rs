//! Which step of an upgrade is next, and which hops are ahead.

use super::{
    super::{
        part::Part,
        relocation::has_run,
        validated::{self, Validated},
    },
    backup::{self, Backup},
    settled,
};
use crate::{
    core::Record,
    versions::{HarborVersion, Hop, Refusal, path},
};
use api::{
    names::{OPERATOR_VERSION_LABEL, RESTORED_ANNOTATION, VERSION_ANNOTATION},
    v1beta1::{
        self,
        upgrade::{Downtime, Hops, UpgradeSpec},
    },
};
use jiff::Timestamp;
use plan::{All as _, PlanError, World};

/// What to do about the version of a Harbor now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Everything gets, or keeps, this version.
    Stay { at: HarborVersion },
    /// Core gets the next version, and everything else afterwards.
    Move(Hop),
}

/// The way to the wanted version.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Course {
    /// What to do now.
    pub step: Step,
    /// The hops that are under way or ahead, in order.
    pub ahead: Vec<Hop>,
    /// What the first of them waits for, if it does.
    pub waits: Vec<String>,
    /// How far the migration of the first of them is, if that has one and does not wait.
    pub migration: Option<Stage>,
    /// The backup before the first of them, once it may be made.
    pub backup: Option<Backup>,
}

/// How far a migration of the database is that a pod of its own does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its node pulls the image.
    Ahead,
    /// It can begin, and its pod waits since then.
    Prepared(Timestamp),
    /// It may have begun, and may have ended.
    Begun,
}

impl Stage {
    fn of(hop: &Hop, record: &Record) -> Self {
        let is_it = |version: &Option<HarborVersion>| version.as_ref() == Some(&hop.to);
        match &record.prepared {
            _ if is_it(&record.migrating) || is_it(&record.migrated) => Self::Begun,
            Some(prepared) if prepared.version == hop.to => Self::Prepared(prepared.since),
            _ => Self::Ahead,
        }
    }
}

impl Course {
    /// The way to the wanted version. Refuses a downgrade past a release that changed the database, and an upgrade that the spec
    /// does not allow.
    pub fn of(wanted: &Validated<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        backup::check(wanted.installation)?;
        let at = |step| Self { step, ahead: Vec::new(), waits: Vec::new(), migration: None, backup: None };
        let stay = || at(Step::Stay { at: wanted.version.clone() });
        let (recorded, template) =
            (Record::read(&wanted.name, world), backup::template(wanted, world)).all()?;
        let is_recorded = recorded.is_some();
        let record = match recorded {
            Some(record) => record,
            None => predecessors(wanted, world)?,
        };
        let Some(newest) = record.newest().cloned() else { return Ok(stay()) };
        let completed = record.completed.clone().unwrap_or_else(|| newest.clone());
        let ahead = match path(&newest, &wanted.version) {
            Ok(ahead) => ahead,
            Err(Refusal::Downgrade(_)) if is_restored(wanted) => {
                let hop = Hop { from: completed, to: wanted.version.clone() };
                return Ok(if hop.from == hop.to { stay() } else { at(Step::Move(hop)) });
            }
            Err(refusal) => return Err(refused(&refusal, &newest, &wanted.version)),
        };
        let under_way = Hop { from: completed, to: newest };
        let hops: Vec<_> = if under_way.migrates() {
            // A migration that has begun is finished before the next hop, whatever is wanted now.
            std::iter::once(under_way).chain(ahead).collect()
        } else {
            path(&under_way.from, &wanted.version).unwrap_or(ahead)
        };
        let Some(next) = hops.first().cloned() else { return Ok(stay()) };
        permitted(wanted, &hops)?;
        let has_begun = settled::has_begun(wanted, &next, world)?;
        let mut waits =
            if is_recorded && !has_begun { settled::unsettled(wanted, &next, world)? } else { Vec::new() };
        // Made last, so that little is written between the backup and the migration.
        let may_be_made = waits.is_empty() && !has_begun;
        let backup = Backup::before(wanted, &next, template.as_ref(), world)?
            .filter(|backup| backup.exists() || may_be_made);
        waits.extend(backup.as_ref().filter(|_| may_be_made).and_then(Backup::waits));
        let has_pod = is_recorded && waits.is_empty() && next.migrates();
        let migration = has_pod.then(|| Stage::of(&next, &record));
        // Everything keeps the version before the hop.
        let step = if waits.is_empty() { Step::Move(next) } else { Step::Stay { at: next.from } };
        Ok(Self { step, ahead: hops, waits, migration, backup })
    }
}

/// Whether a user has restored the database that the wanted version wrote.
fn is_restored(wanted: &Validated<'_>) -> bool {
    wanted.annotation(RESTORED_ANNOTATION) == Some(&wanted.version.to_string())
}

/// The predecessor wrote no record, so the version is read from its Core.
fn predecessors(harbor: &Validated<'_>, world: &World<'_>) -> Result<Record, PlanError> {
    if !has_run(harbor, Part::Core, world)? {
        return Ok(Record::default());
    }
    let core = world.read::<v1beta1::Core>(&harbor.name)?;
    let old = core.filter(|core| {
        core.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key(OPERATOR_VERSION_LABEL))
    });
    let version = old.and_then(|core| {
        let text = core.metadata.annotations?.remove(VERSION_ANNOTATION)?;
        HarborVersion::parse(&text).ok()
    });
    Ok(Record { migrated: version.clone(), completed: version, ..Record::default() })
}

fn refused(refusal: &Refusal, newest: &HarborVersion, wanted: &HarborVersion) -> PlanError {
    match refusal {
        Refusal::Downgrade((major, minor, patch)) => PlanError::invalid(
            "spec.version",
            format!(
                "Harbor {newest} cannot go back to {wanted}: version {major}.{minor}.{patch} has changed its database"
            ),
            format!(
                "set it to {newest}; if you have restored the database of version {wanted}, set the annotation \
                 {RESTORED_ANNOTATION}: {wanted}"
            ),
        ),
        Refusal::LacksBackport((major, minor, patch)) => PlanError::invalid(
            "spec.version",
            format!(
                "Harbor {newest} cannot be upgraded to {wanted}: {wanted} cannot decrypt credentials that {newest} has \
                 encrypted"
            ),
            format!("set it to {major}.{minor}.{patch} or later"),
        ),
    }
}

/// Refuses hops that `spec.upgrade` does not allow, and a spec that a version on the way does not support.
fn permitted(wanted: &Validated<'_>, hops: &[Hop]) -> Result<(), PlanError> {
    let UpgradeSpec { hops: number, downtime, drain_timeout: _, backup: _ } =
        wanted.installation.upgrade.clone().unwrap_or_default();
    let (Some(first), Some(last)) = (hops.first(), hops.last()) else { return Ok(()) };
    let names = || hops.iter().map(|hop| hop.to.to_string()).collect::<Vec<_>>().join(", ");
    if number == Hops::One && hops.len() > 1 {
        return Err(PlanError::invalid(
            "spec.version",
            format!("the upgrade from {} to {} has {} hops: {}", first.from, last.to, hops.len(), names()),
            format!("set it to {} first, or set spec.upgrade.hops to All", first.to),
        ));
    }
    if downtime == Downtime::Refused
        && let Some((hop, what)) = hops.iter().find_map(|hop| Some((hop, hop.failures_of_old_core().next()?)))
    {
        return Err(PlanError::invalid(
            "spec.version",
            format!(
                "the upgrade from {} to {} stops Core while it migrates the database: in Core {} {what} would fail on \
                 the new schema",
                hop.from, hop.to, hop.from
            ),
            "set spec.upgrade.downtime to Allowed",
        ));
    }
    let on_the_way = hops.iter().map(|hop| &hop.to).filter(|version| **version != wanted.version);
    for version in on_the_way {
        if let Err(error) = validated::supported(wanted.spec, version) {
            return Err(PlanError::invalid(
                "spec.version",
                format!("the upgrade from {} to {} goes over {version}: {error}", first.from, last.to),
                "change the version alone first, and the other fields when the upgrade has ended",
            ));
        }
    }
    Ok(())
}
