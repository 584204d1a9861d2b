//! The tables of docs/upgrade.md say what the catalogue of releases says.

use super::{
    HarborVersion, Subject, notes, path,
    releases::{OldCore, migrations, one_way, stop},
    version::Release,
};
use std::{collections::BTreeSet, fs, ops::RangeInclusive, path::Path};

/// More patches than any minor release has.
const PATCHES: u32 = 30;

/// The newest release of all.
const LAST: Release = (u32::MAX, 0, 0);

/// The minor releases that this operator can run.
fn minors() -> RangeInclusive<u32> {
    let (oldest, newest) = HarborVersion::supported();
    minor(&oldest)..=minor(&newest)
}

/// The rows of the table with these columns: the text of each cell.
fn table(columns: &str) -> Vec<Vec<String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/upgrade.md");
    let page = fs::read_to_string(file).unwrap();
    let (_, after) = page.split_once(&format!("\n| {columns} |\n")).expect(columns);
    let rows = after.lines().skip(1).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    rows.map(cells).collect()
}

/// The minor release in text such as `2.14`.
fn minor(text: &str) -> u32 {
    text.strip_prefix("2.").and_then(|minor| minor.parse().ok()).expect(text)
}

fn release(text: &str) -> Release {
    HarborVersion::parse(text).unwrap().release()
}

/// The version of a minor release at which longer upgrades stop.
fn version(minor: u32) -> HarborVersion {
    HarborVersion::released(stop((2, minor)).unwrap())
}

#[test]
fn the_hops_are_those_that_the_operator_takes() {
    let rows = table("to | over");
    assert!(!rows.is_empty());
    for row in rows {
        let (to, from) = row[0].split_once(" from ").unwrap();
        let hops = path(&version(minor(from)), &version(minor(to))).unwrap();
        let over: Vec<_> = hops.iter().rev().skip(1).rev().map(|hop| hop.to.to_string()).collect();
        assert_eq!(row[1], over.join(", "), "{}", row[0]);
    }
}

#[test]
fn the_releases_over_which_no_version_goes_back_are_those_that_the_operator_refuses() {
    let of_minor = |minor: u32| {
        let all = (0..PATCHES).map(|patch| (2, minor, patch));
        let before = |(major, minor, patch): Release| match patch {
            0 => (major, minor - 1, PATCHES),
            patch => (major, minor, patch - 1),
        };
        all.filter(|release| one_way(*release, before(*release)) == Some(*release)).collect::<BTreeSet<_>>()
    };
    let expected: BTreeSet<_> = minors().flat_map(of_minor).collect();
    let mut listed = BTreeSet::new();
    for row in table("minor release | releases") {
        let (first, last) = row[0].split_once(" to ").unwrap_or((&row[0], &row[0]));
        for part in row[1].trim_start_matches("the first of each, and ").split(", ") {
            listed.insert(release(part));
        }
        if row[1].starts_with("the first of each") {
            listed.extend((minor(first)..=minor(last)).map(|minor| (2, minor, 0)));
        }
    }
    assert_eq!(listed, expected);
}

#[test]
fn the_releases_for_which_core_is_stopped_are_listed_with_what_would_fail() {
    let listed = table("upgrade to or over | would fail with Core of the version before");
    let expected = migrations((0, 0, 0), LAST).filter_map(|migration| match migration.old_core {
        OldCore::Works => None,
        OldCore::Fails(what) => {
            let (major, minor, _) = migration.release;
            Some(vec![format!("{major}.{minor}"), what.to_owned()])
        }
    });
    assert_eq!(listed, expected.collect::<Vec<_>>());
}

#[test]
fn every_schema_has_a_way_to_tell_whether_it_was_applied() {
    let numbers = |row: Vec<String>| row[0].split(", ").map(|it| it.parse().unwrap()).collect::<Vec<u32>>();
    let listed: BTreeSet<_> = table("N | is applied if there is").into_iter().flat_map(numbers).collect();
    let all = migrations((0, 0, 0), LAST).map(|migration| migration.schema);
    assert_eq!(listed, all.collect::<BTreeSet<_>>());
}

#[test]
fn the_program_that_repairs_a_schema_knows_every_migration() {
    let known = database::schema::FILES.iter().map(|file| (file.number, file.release));
    let all = migrations((0, 0, 0), LAST).map(|migration| (migration.schema, migration.release));
    assert_eq!(known.collect::<Vec<_>>(), all.collect::<Vec<_>>());
}

/// The fields of the spec that a note names.
fn named(note: &str) -> BTreeSet<String> {
    let words = note.split([' ', ',', ':']);
    words.filter_map(|word| word.strip_prefix("spec.")).map(str::to_owned).collect()
}

/// The fields of the spec between backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn everything_that_ends_is_noted_in_the_plan_of_an_upgrade_and_listed() {
    let listed = table("from | ends | remove before | what to do");
    let listed = listed.into_iter().map(|row| (minor(&row[0]), row[1].clone(), quoted(&row[2])));
    let noted = minors().flat_map(|minor| notes((2, minor - 1), (2, minor)).map(move |note| (minor, note)));
    let ends = noted
        .filter(|(_, (subject, _))| *subject == Subject::End)
        .map(|(minor, (_, note))| (minor, note.split_once(" ends").unwrap().0.to_owned(), named(note)));
    assert_eq!(listed.collect::<BTreeSet<_>>(), ends.collect::<BTreeSet<_>>());
}
