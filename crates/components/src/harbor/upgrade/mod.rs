//! Upgrades of a Harbor: the hops that lead to the wanted version, and in which order its parts get the next one.
//!
//! What counts is the version that has run, see [`Record`]. The whole Harbor is planned at the version of the hop under
//! way; when all of its parts have that version, the next hop begins.

mod backup;
mod drain;
mod outlook;
mod settled;
mod steps;

use self::{
    backup::Backup,
    steps::{Course, Step},
};
use super::{
    quiet::Quiet,
    validated::{self, Validated},
};
use crate::versions::HarborVersion;
use api::{
    names::{MIGRATION_WAITS_ANNOTATION, VERSION_ANNOTATION},
    v1beta1::{Core, JobService},
};
use plan::{All as _, Builder, Desired, Held, Manifest, Outlook, PlanError, World};

/// The upgrade of a Harbor, if its version changes.
pub(super) struct Upgrade<'a> {
    /// The Harbor at the version that Core gets now.
    now: Validated<'a>,
    /// The Harbor at the version with which Core was last ready, if that is another one.
    before: Option<Validated<'a>>,
    /// How quiet JobService is.
    quiet: Quiet,
    /// Whether that is for the upgrade.
    is_drained: bool,
    /// What the migration of the database waits for.
    holds: Option<&'static str>,
    /// The backup before the next hop.
    backup: Option<Backup>,
}

/// The hops that lead to the wanted version, and why the next one waits.
pub(super) fn outlook(wanted: &Validated<'_>, world: &World<'_>) -> Result<Outlook, PlanError> {
    let (course, quiet) = course(wanted, world)?;
    outlook::outlook(wanted, &course, &quiet, world)
}

/// The way to the wanted version, and how quiet JobService is on it.
fn course(wanted: &Validated<'_>, world: &World<'_>) -> Result<(Course, Quiet), PlanError> {
    let (course, jobservice) = (Course::of(wanted, world), world.read::<JobService>(&wanted.name)).all()?;
    let quiet = drain::quiet(wanted, jobservice, &course, world)?;
    Ok((course, quiet))
}

impl<'a> Upgrade<'a> {
    /// Finds the hop that is under way. Refuses a downgrade past a release that changed the database, and an upgrade that
    /// the spec does not allow.
    pub fn of(wanted: &'a Validated<'a>, world: &World<'_>) -> Result<Self, PlanError> {
        let (course, quiet) = course(wanted, world)?;
        let (holds, is_drained) = (drain::holds(&course, &quiet), drain::is_wanted(&course));
        let (now, before) = match course.step {
            Step::Stay { at } => (wanted.at(at), None),
            Step::Move(hop) => (wanted.at(hop.to), Some(wanted.at(hop.from))),
        };
        Ok(Self { now, before, quiet, is_drained, holds, backup: course.backup })
    }

    /// How quiet JobService is.
    pub fn quiet(&self) -> &Quiet {
        &self.quiet
    }

    /// Core, which does not migrate the database as long as JobService may meet two versions of it.
    pub fn core(&self, mut core: Core) -> Core {
        let holds = self.holds.map(|holds| (MIGRATION_WAITS_ANNOTATION.to_owned(), holds.to_owned()));
        core.metadata.annotations.get_or_insert_default().extend(holds);
        core
    }

    /// JobService, which keeps its version as the other parts do, and is quiet while the database is migrated, or during a rotation
    /// that no job may meet.
    pub fn jobservice(&self, part: impl Fn(&Validated<'_>) -> JobService) -> Desired {
        let wanted = part(&self.now);
        let released =
            |wanted| if self.is_drained { self.quiet.after(wanted) } else { self.quiet.now(wanted) };
        let Some(before) = &self.before else { return Desired::from(released(wanted)) };
        let held = match (validated::supported(before.spec, &before.version), self.quiet.stored()) {
            (Ok(()), _) => part(before),
            (Err(_), Some(stored)) => unchanged(stored, &wanted, before),
            (Err(_), None) => return self.held(wanted),
        };
        let why = self.quiet.stopped().map_or_else(|| self.held_at(before), str::to_owned);
        Desired::from(released(wanted)).held_as(self.quiet.during(held), why)
    }

    /// Adds the backup before the next hop, if there is one to make.
    pub fn add_backup(&self, graph: &mut Builder<'_>) {
        if let Some(backup) = &self.backup {
            backup.add(graph);
        }
    }

    /// The Harbor at the version that Core gets now.
    pub fn now(&self) -> &Validated<'a> {
        &self.now
    }

    /// Whether that is the version of the spec.
    pub fn is_at_wanted(&self) -> bool {
        HarborVersion::parse_spec(&self.now.installation.version)
            .is_ok_and(|wanted| wanted == self.now.version)
    }

    /// Whether the version is about to change, or changes.
    pub fn is_under_way(&self) -> bool {
        self.before.is_some() || !self.is_at_wanted()
    }

    /// A part of the Harbor, which keeps its version until Core has the new one. If the spec needs the new
    /// version, the part stays unchanged until then.
    pub fn part<M: Manifest>(&self, part: impl Fn(&Validated<'_>) -> M) -> Desired {
        let wanted = part(&self.now);
        match &self.before {
            Some(before) if validated::supported(before.spec, &before.version).is_ok() => {
                Desired::from(wanted).held_as(part(before), self.held_at(before))
            }
            _ => self.held(wanted),
        }
    }

    /// The same for an optional part.
    pub fn optional<M: Manifest>(&self, part: impl Fn(&Validated<'_>) -> Option<M>) -> Option<Desired> {
        let wanted = part(&self.now)?;
        // Whether the spec requests the part does not depend on the version.
        Some(self.part(|harbor| part(harbor).unwrap_or_else(|| wanted.clone())))
    }

    /// The Harbor at the version before, if its version changes.
    pub fn before(&self) -> Option<&Validated<'a>> {
        self.before.as_ref()
    }

    /// An object of the Harbor itself, which keeps the version before until Core has the new one. If the version
    /// makes no difference to it, it does not wait.
    pub fn object(&self, wanted: impl Into<Desired>, before: Option<impl Into<Desired>>) -> Desired {
        let wanted = wanted.into();
        let json = |desired: &Desired| desired.object.to_json().ok();
        let before = before.map(Into::into).filter(|before| json(before) != json(&wanted));
        match before.zip(self.before.as_ref()) {
            Some((object, harbor)) => {
                let held = Held { object: Some(object.object), why: self.held_at(harbor) };
                Desired { held: Some(held), ..wanted }
            }
            None => wanted,
        }
    }

    /// A part that stays unchanged until Core has the new version.
    fn held(&self, part: impl Into<Desired>) -> Desired {
        let desired = part.into();
        if self.before.is_some() { desired.held(self.why("unchanged")) } else { desired }
    }

    fn held_at(&self, before: &Validated<'_>) -> String {
        self.why(&format!("held at version {}", before.version))
    }

    /// What is done to a part meanwhile, and what its upgrade waits for.
    fn why(&self, held: &str) -> String {
        format!("{held} until Core has version {}", self.now.version)
    }
}

/// A JobService with the spec that it has.
fn unchanged(stored: &JobService, wanted: &JobService, before: &Validated<'_>) -> JobService {
    let mut metadata = wanted.metadata.clone();
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.insert(VERSION_ANNOTATION.into(), before.version.to_string());
    JobService { metadata, spec: stored.spec.clone(), status: None }
}
