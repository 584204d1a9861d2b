//! The releases of Harbor that change its database, and the release at which an upgrade over several minor releases
//! stops.

use super::version::{Minor, Release};

/// A release whose Core migrates the schema of the database when it starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Migration {
    /// The first release with it.
    pub release: Release,
    /// The version in table `schema_migrations` afterwards.
    pub schema: u32,
    /// Whether Core of the release before works on the new schema.
    pub old_core: OldCore,
}

/// Whether Core of an earlier release works on a new schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldCore {
    /// It does.
    Works,
    /// It does not; the text says what fails.
    Fails(&'static str),
}

/// All migrations since Harbor 2.5, in order.
const MIGRATIONS: [Migration; 17] = [
    works((2, 5, 0), 80),
    works((2, 5, 2), 81),
    works((2, 5, 3), 82),
    works((2, 6, 0), 90),
    works((2, 6, 2), 91),
    works((2, 7, 0), 100),
    fails((2, 8, 0), 110, "webhooks"),
    works((2, 8, 1), 111),
    fails((2, 9, 0), 120, "scheduled replications"),
    works((2, 10, 0), 130),
    fails((2, 11, 0), 140, "every push of a new artifact"),
    works((2, 12, 0), 150),
    fails((2, 13, 0), 160, "everything about P2P preheat policies"),
    works((2, 14, 0), 170),
    works((2, 14, 1), 171),
    works((2, 15, 0), 180),
    works((2, 15, 3), 181),
];

/// Releases without a migration that encrypt or hash data in a way that earlier releases cannot read: credentials of
/// scanners and preheat instances, and passwords.
const REWRITES: [Release; 3] = [(2, 14, 4), (2, 15, 1), (2, 15, 2)];

/// The release of each minor release at which a longer upgrade stops.
///
/// Each was published, and is not the first of its minor release. 2.14 stops before 2.14.4, so that 2.15.0 can follow.
const STOPS: [Release; 11] = [
    (2, 5, 6),
    (2, 6, 4),
    (2, 7, 4),
    (2, 8, 6),
    (2, 9, 5),
    (2, 10, 3),
    (2, 11, 2),
    (2, 12, 4),
    (2, 13, 2),
    (2, 14, 3),
    (2, 15, 2),
];

const fn works(release: Release, schema: u32) -> Migration {
    Migration { release, schema, old_core: OldCore::Works }
}

const fn fails(release: Release, schema: u32, what: &'static str) -> Migration {
    Migration { release, schema, old_core: OldCore::Fails(what) }
}

/// The migrations that Core of release `to` performs on the database of release `from`.
pub(crate) fn migrations(from: Release, to: Release) -> impl Iterator<Item = &'static Migration> {
    MIGRATIONS.iter().filter(move |migration| from < migration.release && migration.release <= to)
}

/// The newest release after `to`, up to `from`, that changed the database in a way that `to` cannot use.
pub(crate) fn one_way(from: Release, to: Release) -> Option<Release> {
    let migrations = MIGRATIONS.iter().map(|migration| migration.release);
    migrations.chain(REWRITES).filter(|release| to < *release && *release <= from).max()
}

/// Whether release `to` cannot read data of release `from`, although it is newer: 2.14.4 encrypts credentials, which
/// 2.15.0 does not know.
pub(crate) fn lacks_what_was_backported(from: Release, to: Release) -> bool {
    (from.0, from.1) == (2, 14) && from.2 >= 4 && to == (2, 15, 0)
}

/// The release at which an upgrade to a later minor release stops.
pub(crate) fn stop((major, minor): Minor) -> Option<Release> {
    STOPS.into_iter().find(|stop| (stop.0, stop.1) == (major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_each_release_is_that_of_its_newest_file() {
        let schema = |release| migrations((0, 0, 0), release).last().map(|migration| migration.schema);
        let expected = [
            ((2, 5, 0), 80),
            ((2, 5, 6), 82),
            ((2, 6, 1), 90),
            ((2, 6, 4), 91),
            ((2, 7, 4), 100),
            ((2, 8, 6), 111),
            ((2, 9, 5), 120),
            ((2, 10, 3), 130),
            ((2, 11, 2), 140),
            ((2, 12, 4), 150),
            ((2, 13, 2), 160),
            ((2, 14, 0), 170),
            ((2, 14, 4), 171),
            ((2, 15, 2), 180),
        ];
        for (release, number) in expected {
            assert_eq!(schema(release), Some(number), "{release:?}");
        }
    }

    #[test]
    fn migrations_are_in_order_and_every_supported_minor_release_has_a_stop() {
        assert!(MIGRATIONS.windows(2).all(|pair| pair[0].release < pair[1].release));
        assert!(MIGRATIONS.windows(2).all(|pair| pair[0].schema < pair[1].schema));
        for minor in 5..=15 {
            assert!(stop((2, minor)).is_some(), "2.{minor}");
        }
    }

    #[test]
    fn a_patch_is_one_way_if_it_migrates_or_rewrites_data() {
        assert_eq!(one_way((2, 14, 5), (2, 14, 0)), Some((2, 14, 4)));
        assert_eq!(one_way((2, 14, 3), (2, 14, 1)), None);
        assert_eq!(one_way((2, 15, 2), (2, 15, 1)), Some((2, 15, 2)));
        assert_eq!(one_way((2, 15, 0), (2, 13, 4)), Some((2, 15, 0)));
    }
}
