//! What a user should know before an upgrade: what a release takes away, and what it changes the meaning of.

use super::version::{HarborVersion, Minor};

/// What a user should know about a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The minor release that it is about.
    pub since: Minor,
    /// What it means for a user.
    pub weight: Weight,
    /// One sentence.
    pub text: &'static str,
}

/// What a note means for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A feature ends.
    Ends,
    /// A user has to decide or to act.
    Decide,
}

const NOTES: [Note; 10] = [
    ends((2, 7), "settings of mail servers (email_*) are ignored"),
    ends((2, 8), "ChartMuseum: push charts as OCI artifacts before"),
    ends((2, 8), "chart events of webhooks and chart filters of replications"),
    decide((2, 8), "a failed webhook is retried 3 times and no longer 10 times"),
    ends((2, 9), "Notary: sign with cosign or Notation before, its signatures are not carried over"),
    decide((2, 9), "PostgreSQL must have version 12 or later"),
    decide(
        (2, 9),
        "content trust of a project is about Notation: images of projects that have it on cannot be pulled afterwards \
         unless Notation has signed them",
    ),
    ends((2, 13), "robot accounts and the API of robots from before Harbor 2.2"),
    decide((2, 13), "the audit log continues in a new table: set the schedule that purges it again"),
    decide((2, 14), "only replication adapters that Harbor's installer enables are available"),
];

const fn ends(since: Minor, text: &'static str) -> Note {
    Note { since, weight: Weight::Ends, text }
}

const fn decide(since: Minor, text: &'static str) -> Note {
    Note { since, weight: Weight::Decide, text }
}

/// What a user should know about the minor releases after `from`, up to `to`.
pub(crate) fn notes(from: &HarborVersion, to: &HarborVersion) -> impl Iterator<Item = &'static Note> {
    let (from, to) = (from.minor(), to.minor());
    NOTES.iter().filter(move |note| from < note.since && note.since <= to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_has_the_notes_of_every_release_that_it_goes_over() {
        let version = |text| HarborVersion::parse(text).unwrap();
        let about = |from, to| notes(&version(from), &version(to)).map(|note| note.since).collect::<Vec<_>>();
        assert_eq!(about("2.7.4", "2.8.1"), [(2, 8); 3]);
        assert_eq!(about("2.14.0", "2.15.0"), []);
        assert_eq!(about("2.12.0", "2.14.0"), [(2, 13), (2, 13), (2, 14)]);
    }
}
