//! Upgrades of a Harbor: which are allowed, and in which order its parts get the new version.

use super::{
    part::Part,
    relocation::has_run,
    validated::{self, Validated},
};
use crate::{
    core::Record,
    versions::{HarborVersion, Release},
};
use api::names::OPERATOR_VERSION_LABEL;
use api::names::{RESTORED_ANNOTATION, VERSION_ANNOTATION};
use api::v1beta1;
use plan::{Desired, Held, Manifest, PlanError, World};

/// How many minor releases one upgrade of Harbor may span.
const LONGEST_STEP: u32 = 2;

/// Releases that cannot be downgraded: earlier ones cannot use what they write to the database.
///
/// Each of these migrates the schema, except for three that encrypt or hash existing data: 2.14.4 and 2.15.1
/// (credentials of scanners and of preheat instances) and 2.15.2 (passwords).
const ONE_WAY: [Release; 20] = [
    (2, 5, 0),
    (2, 5, 2),
    (2, 5, 3),
    (2, 6, 0),
    (2, 6, 2),
    (2, 7, 0),
    (2, 8, 0),
    (2, 8, 1),
    (2, 9, 0),
    (2, 10, 0),
    (2, 11, 0),
    (2, 12, 0),
    (2, 13, 0),
    (2, 14, 0),
    (2, 14, 1),
    (2, 14, 4),
    (2, 15, 0),
    (2, 15, 1),
    (2, 15, 2),
    (2, 15, 3),
];

/// The upgrade of a Harbor, if its version changes.
pub(super) struct Upgrade<'a> {
    wanted: &'a Validated<'a>,
    /// The Harbor at the version with which Core was last ready, if that is another one.
    before: Option<Validated<'a>>,
}

impl<'a> Upgrade<'a> {
    /// Refuses a downgrade past a release that changed the database, and an upgrade over too many releases.
    pub fn of(harbor: &'a Validated<'a>, world: &World<'_>) -> Result<Self, PlanError> {
        let record = match Record::read(&harbor.name, world)? {
            Some(record) => record,
            None => predecessors(harbor, world)?,
        };
        if let Some(migrated) = &record.migrated {
            allowed(migrated, harbor)?;
        }
        let before = record.completed.filter(|completed| *completed != harbor.version);
        Ok(Self { wanted: harbor, before: before.map(|version| harbor.at(version)) })
    }

    /// A part of the Harbor, which keeps its version until Core has the new one. If the spec needs the new
    /// version, the part stays unchanged until then.
    pub fn part<M: Manifest>(&self, part: impl Fn(&Validated<'_>) -> M) -> Desired {
        let wanted = part(self.wanted);
        match &self.before {
            Some(before) if validated::supported(before.spec, &before.version).is_ok() => {
                Desired::from(wanted).held_as(part(before), self.held_at(before))
            }
            _ => self.held(wanted),
        }
    }

    /// The same for an optional part.
    pub fn optional<M: Manifest>(&self, part: impl Fn(&Validated<'_>) -> Option<M>) -> Option<Desired> {
        let wanted = part(self.wanted)?;
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
        format!("{held} until Core has version {}", self.wanted.version)
    }
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
    Ok(Record { migrated: version.clone(), completed: version })
}

fn allowed(migrated: &HarborVersion, harbor: &Validated<'_>) -> Result<(), PlanError> {
    let wanted = &harbor.version;
    let (from, to) = (migrated.release(), wanted.release());
    let one_way = ONE_WAY.into_iter().rev().find(|release| to < *release && *release <= from);
    if let Some((major, minor, patch)) = one_way
        && harbor.annotation(RESTORED_ANNOTATION) != Some(&wanted.to_string())
    {
        return Err(PlanError::invalid(
            "spec.version",
            format!(
                "Harbor {migrated} cannot go back to {wanted}: version {major}.{minor}.{patch} has changed its database"
            ),
            format!(
                "set it to {migrated}; if you have restored the database of version {wanted}, set the annotation \
                 {RESTORED_ANNOTATION}: {wanted}"
            ),
        ));
    }
    if to.0 == from.0 && to.1 > from.1 + LONGEST_STEP {
        let (major, minor) = (from.0, from.1 + LONGEST_STEP);
        return Err(PlanError::invalid(
            "spec.version",
            format!("Harbor {migrated} cannot be upgraded to {wanted} at once"),
            format!("upgrade to {major}.{minor} first, and from there at most two minor releases at a time"),
        ));
    }
    Ok(())
}
