//! From which version to which a Harbor may go, and which of its parts go first.

use super::{
    inputs::{self, Inputs},
    part::Part,
    relocation::began,
};
use crate::{
    core::Record,
    versions::{HarborVersion, Release, VERSION_ANNOTATION},
};
use api::v1beta1;
use plan::{Desired, Manifest, PlanError, World};

/// How many minor releases Harbor supports being upgraded over at once.
const LONGEST_STEP: u32 = 2;

/// Says which version the database is of that a user has restored, so that a Harbor may go back to it.
const RESTORED_ANNOTATION: &str = "goharbor.io/database-restored";

/// Written by the old operator on all of its children, and by nobody else.
const PREDECESSORS_LABEL: &str = "goharbor.io/operator-version";

/// Releases that no Harbor goes back over: all before them cannot use what they leave in the database.
///
/// Each of these migrates the schema, but for three that encrypt or hash what was stored otherwise before: 2.14.4 and
/// 2.15.1 (credentials of scanners and of preheat instances) and 2.15.2 (passwords).
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

/// The way a Harbor is on from one version to another.
pub(super) struct Upgrade<'a> {
    wanted: &'a Inputs<'a>,
    /// The Harbor as it is at the version that Core had when it was last ready, where that is another one.
    before: Option<Inputs<'a>>,
}

impl<'a> Upgrade<'a> {
    /// Refuses to go back over a release that has changed the database, and to go too far at once.
    pub fn of(harbor: &'a Inputs<'a>, world: &World<'_>) -> Result<Self, PlanError> {
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

    /// A part of the Harbor, which keeps its version until Core has the new one. Where the spec says something that
    /// only the new version knows, the part is left as it is.
    pub fn part<M: Manifest>(&self, part: impl Fn(&Inputs<'_>) -> M) -> Desired {
        let wanted = part(self.wanted);
        match &self.before {
            Some(before) if inputs::supported(before.spec, &before.version).is_ok() => {
                Desired::from(wanted).held_as(part(before), self.why())
            }
            _ => self.held(wanted),
        }
    }

    /// The same for a part that a Harbor need not have.
    pub fn optional<M: Manifest>(&self, part: impl Fn(&Inputs<'_>) -> Option<M>) -> Option<Desired> {
        let wanted = part(self.wanted)?;
        // What the spec asks for does not depend on the version.
        Some(self.part(|harbor| part(harbor).unwrap_or_else(|| wanted.clone())))
    }

    /// An object that is left as it is until Core has the new version.
    pub fn held(&self, object: impl Into<Desired>) -> Desired {
        let desired = object.into();
        if self.before.is_some() { desired.held(self.why()) } else { desired }
    }

    fn why(&self) -> String {
        format!("stays as it is until Core has version {}", self.wanted.version)
    }
}

/// What the old operator left behind remembers nothing; its Core says what it runs.
fn predecessors(harbor: &Inputs<'_>, world: &World<'_>) -> Result<Record, PlanError> {
    if !began(harbor, Part::Core, world)? {
        return Ok(Record::default());
    }
    let core = world.read::<v1beta1::Core>(&harbor.name)?;
    let old = core.filter(|core| {
        core.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key(PREDECESSORS_LABEL))
    });
    let version = old.and_then(|core| {
        let text = core.metadata.annotations?.remove(VERSION_ANNOTATION)?;
        HarborVersion::parse(&text).ok()
    });
    Ok(Record { migrated: version.clone(), completed: version })
}

fn allowed(migrated: &HarborVersion, harbor: &Inputs<'_>) -> Result<(), PlanError> {
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
