//! What a user should know or decide before an upgrade to or over a minor release, besides what follows from its migrations.

use super::version::Minor;

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// How long the migration takes.
    Migration,
    /// Something that a version no longer has.
    End,
}

/// The first minor release of which it holds, and what a user should know.
struct Note(Minor, Subject, &'static str);

use Subject::{End, Migration};

const NOTES: [Note; 13] = [
    Note(
        (2, 6),
        Migration,
        "the migration takes long with many executions of jobs and many entries of the audit log",
    ),
    Note(
        (2, 8),
        End,
        "ChartMuseum ends: push its charts as OCI artifacts before, and remove spec.chartmuseum",
    ),
    Note(
        (2, 8),
        End,
        "the volume of exported scan results ends: remove spec.jobservice.storage.scanDataExportsPersistentVolume",
    ),
    Note((2, 8), Migration, "the migration takes long with many webhooks sent and many blobs"),
    Note((2, 9), End, "support for PostgreSQL before 12 ends: upgrade PostgreSQL before"),
    Note(
        (2, 9),
        End,
        "Notary ends, and its signatures are not carried over: sign with cosign or Notation before, and remove spec.notary \
         and spec.expose.notary",
    ),
    Note(
        (2, 9),
        End,
        "content trust by Notary ends, and that of a project is about Notation from then on: turn it off in projects whose \
         images have no signature of Notation, or clients cannot pull them",
    ),
    Note((2, 9), Migration, "the migration takes hours if many images were scanned"),
    Note((2, 11), Migration, "the migration rewrites the table of artifacts"),
    Note((2, 13), End, "support for robot accounts of version 1 ends: use robot accounts of today before"),
    Note(
        (2, 13),
        End,
        "support for old parameters of schedules that purge the audit log ends: set such a schedule again afterwards",
    ),
    Note((2, 14), End, "the proxy cache of Quay ends"),
    Note((2, 14), Migration, "the migration takes minutes with many permissions of robot accounts"),
];

/// What a user should know before an upgrade from one minor release to another, in order.
pub(crate) fn notes(from: Minor, to: Minor) -> impl Iterator<Item = (Subject, &'static str)> {
    let noted = NOTES.iter().filter(move |Note(since, ..)| from < *since && *since <= to);
    noted.map(|Note(_, subject, text)| (*subject, *text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_in_order_and_of_the_releases_in_between() {
        assert!(NOTES.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert_eq!(notes((2, 9), (2, 10)).count(), 0);
        assert_eq!(notes((2, 10), (2, 11)).count(), 1);
        assert_eq!(notes((2, 5), (2, 15)).count(), NOTES.len());
    }
}
