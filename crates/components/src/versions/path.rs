//! The hops of an upgrade. Harbor supports an upgrade from the two minor releases before, so a longer one has several.

use super::{
    releases::{self, Migration, OldCore},
    version::{HarborVersion, Release},
};

/// How many minor releases one hop may span.
const LONGEST_HOP: u32 = 2;

/// One step of an upgrade: Core, and then everything else, goes from one version to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// The version before.
    pub from: HarborVersion,
    /// The version afterwards.
    pub to: HarborVersion,
}

/// Why a version cannot follow another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The release changed the database in a way that the wanted version cannot use.
    Downgrade(Release),
    /// The wanted version lacks what a patch of the version before has changed; this release has it.
    LacksBackport(Release),
}

impl Hop {
    /// The migrations of the database in this hop.
    pub fn migrations(&self) -> impl Iterator<Item = &'static Migration> {
        releases::migrations(self.from.release(), self.to.release())
    }

    /// The version of the schema afterwards, if it changes.
    pub fn schema(&self) -> Option<u32> {
        self.migrations().last().map(|migration| migration.schema)
    }

    /// Whether the schema of the database changes.
    pub fn migrates(&self) -> bool {
        self.schema().is_some()
    }

    /// What would fail in Core of the version before, while it runs on the new schema. Core must be stopped if
    /// anything does.
    pub fn failures_of_old_core(&self) -> impl Iterator<Item = &'static str> {
        self.migrations().filter_map(|migration| match migration.old_core {
            OldCore::Works => None,
            OldCore::Fails(what) => Some(what),
        })
    }

    /// Whether the version before cannot use the database afterwards.
    pub fn is_one_way(&self) -> bool {
        releases::one_way(self.to.release(), self.from.release()).is_some()
    }

    /// Whether Core must be stopped while the database is migrated.
    pub fn stops_core(&self) -> bool {
        self.failures_of_old_core().next().is_some()
    }
}

/// The hops from a version that has run to the wanted one; none if it is the same, or a patch that is undone.
///
/// # Errors
/// When the wanted version cannot use the database.
pub(crate) fn path(from: &HarborVersion, to: &HarborVersion) -> Result<Vec<Hop>, Refusal> {
    if let Some(release) = releases::one_way(from.release(), to.release()) {
        return Err(Refusal::Downgrade(release));
    }
    if releases::lacks_what_was_backported(from.release(), to.release()) {
        return Err(Refusal::LacksBackport((2, 15, 1)));
    }
    let mut hops: Vec<Hop> = Vec::new();
    let mut at = from.clone();
    while at != *to {
        let next = next(&at, to);
        hops.push(Hop { from: at, to: next.clone() });
        at = next;
    }
    Ok(hops)
}

fn next(at: &HarborVersion, to: &HarborVersion) -> HarborVersion {
    let ((major, minor), (wanted_major, wanted_minor)) = (at.minor(), to.minor());
    if major != wanted_major || wanted_minor <= minor + LONGEST_HOP {
        return to.clone();
    }
    match releases::stop((major, minor + LONGEST_HOP)) {
        Some(stop) => HarborVersion::released(stop),
        None => to.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> HarborVersion {
        HarborVersion::parse(text).unwrap()
    }

    fn hops(from: &str, to: &str) -> Vec<String> {
        let hops = path(&version(from), &version(to)).unwrap();
        hops.iter().map(|hop| hop.to.to_string()).collect()
    }

    #[test]
    fn a_hop_spans_two_minor_releases_at_most() {
        assert_eq!(hops("2.5.3", "2.15.2"), ["2.7.4", "2.9.5", "2.11.2", "2.13.2", "2.15.2"]);
        assert_eq!(hops("2.9.5", "2.15.2"), ["2.11.2", "2.13.2", "2.15.2"]);
        assert_eq!(hops("2.13.0", "2.15.0"), ["2.15.0"]);
        assert_eq!(hops("2.14.0", "2.14.3"), ["2.14.3"]);
        assert_eq!(hops("2.15.0", "2.15.0"), [""; 0]);
    }

    #[test]
    fn every_hop_of_every_upgrade_is_supported_by_harbor() {
        for (from, to) in (5..=15).flat_map(|from| (from..=15).map(move |to| (from, to))) {
            let hops = path(&version(&format!("2.{from}.0")), &version(&format!("2.{to}.1"))).unwrap();
            for hop in &hops {
                assert!(hop.to.minor().1 <= hop.from.minor().1 + 2, "{hop:?}");
                assert!(hop.to.release() > hop.from.release(), "{hop:?}");
                assert_eq!(path(&hop.from, &hop.to).map(|hops| hops.len()), Ok(1), "{hop:?}");
            }
        }
    }

    #[test]
    fn core_is_stopped_on_the_hops_whose_schema_breaks_the_version_before() {
        let stops = |from, to| {
            let hops = path(&version(from), &version(to)).unwrap();
            hops.iter().map(Hop::stops_core).collect::<Vec<_>>()
        };
        assert_eq!(stops("2.5.3", "2.15.2"), [false, true, true, true, false]);
        assert_eq!(stops("2.14.0", "2.15.0"), [false]);
        assert_eq!(stops("2.10.0", "2.11.2"), [true]);
    }

    #[test]
    fn harbor_2_15_0_does_not_follow_2_14_4_which_encrypts_credentials() {
        let path = |from, to| path(&version(from), &version(to));
        assert_eq!(path("2.14.4", "2.15.0"), Err(Refusal::LacksBackport((2, 15, 1))));
        assert_eq!(path("2.14.4", "2.15.1").map(|hops| hops.len()), Ok(1));
        assert_eq!(hops("2.12.0", "2.15.0"), ["2.14.3", "2.15.0"], "so no hop on the way ends there either");
    }

    #[test]
    fn a_patch_is_undone_unless_it_has_changed_the_database() {
        assert_eq!(hops("2.13.4", "2.13.0"), ["2.13.0"]);
        let back = path(&version("2.14.1"), &version("2.14.0"));
        assert_eq!(back, Err(Refusal::Downgrade((2, 14, 1))));
    }
}
