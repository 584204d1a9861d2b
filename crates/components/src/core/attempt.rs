//! The attempts to migrate a database to one version.
//!
//! Each attempt has a pod of its own, which waits until the record of the database has the entry of the attempt. So the
//! record says that a migration may have begun before it begins. The operator never allows an attempt twice: when its pod
//! has failed or is gone, a user asks for the next attempt.

use crate::versions::HarborVersion;
use k8s_openapi::api::core::v1::Secret;
use std::fmt;

/// How the entries of attempts in the record begin.
const PREFIX: &str = "migration-";

/// One attempt to migrate a database to a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// The version.
    pub version: HarborVersion,
    /// Counts from one.
    pub number: u32,
}

/// How far an attempt has come that the record allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Its pod may migrate the database, and may have done so.
    Allowed,
    /// Its pod has succeeded.
    Succeeded,
}

/// An attempt that the record allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    /// The attempt.
    pub attempt: Attempt,
    /// How far it has come.
    pub progress: Progress,
}

impl Attempt {
    /// The attempt after this one.
    pub fn next(&self) -> Self {
        Self { version: self.version.clone(), number: self.number.saturating_add(1) }
    }

    /// The entry of the record that its pod waits for.
    pub fn entry(&self) -> String {
        format!("{PREFIX}{self}")
    }

    /// The number of the attempt to migrate to this version that a user asks for.
    pub fn requested(version: &HarborVersion, annotation: Option<&str>) -> Option<u32> {
        let (of, number) = annotation?.trim().rsplit_once('-')?;
        number.parse().ok().filter(|_| of == version.to_string())
    }

    fn parse(entry: &str) -> Option<Self> {
        let (version, number) = entry.strip_prefix(PREFIX)?.rsplit_once('-')?;
        Some(Self { version: HarborVersion::parse(version).ok()?, number: number.parse().ok()? })
    }
}

/// As users write it: `2.15.0-2` is the second attempt to migrate to 2.15.0.
impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.version, self.number)
    }
}

impl Progress {
    const SUCCEEDED: &'static str = "succeeded";

    /// The value of the entry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Succeeded => Self::SUCCEEDED,
        }
    }
}

impl Begun {
    /// The newest attempt in a record. What is not known to have succeeded may have failed.
    pub fn read(record: &Secret) -> Option<Self> {
        let entries = record.data.iter().flatten();
        let attempts = entries.filter_map(|(entry, value)| {
            let succeeded = value.0.trim_ascii() == Progress::SUCCEEDED.as_bytes();
            let progress = if succeeded { Progress::Succeeded } else { Progress::Allowed };
            Some(Self { attempt: Attempt::parse(entry)?, progress })
        });
        attempts.max_by_key(|begun| (begun.attempt.version.release(), begun.attempt.number))
    }

    /// The entry, with its value.
    pub fn entry(&self) -> (String, String) {
        (self.attempt.entry(), self.progress.as_str().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::ByteString;

    fn attempt(version: &str, number: u32) -> Attempt {
        Attempt { version: HarborVersion::parse(version).unwrap(), number }
    }

    fn record(entries: &[(&str, &str)]) -> Secret {
        let entries =
            entries.iter().map(|(key, value)| ((*key).to_owned(), ByteString(value.as_bytes().to_vec())));
        Secret { data: Some(entries.collect()), ..Secret::default() }
    }

    #[test]
    fn an_attempt_is_read_from_the_entry_that_it_writes() {
        for progress in [Progress::Allowed, Progress::Succeeded] {
            for attempt in [attempt("2.15.0", 1), attempt("2.14.0-rc1", 12)] {
                let begun = Begun { attempt, progress };
                let (entry, value) = begun.entry();
                assert_eq!(Begun::read(&record(&[("completed", "2.13.2"), (&entry, &value)])), Some(begun));
            }
        }
    }

    #[test]
    fn the_newest_attempt_counts_and_what_is_no_attempt_does_not() {
        let entries = [
            ("migration-2.15.0-2", "allowed"),
            ("migration-2.15.0-10", "allowed"),
            ("migration-2.15.0", "allowed"),
            ("migration-2.15.0-x", "allowed"),
        ];
        let expected = Begun { attempt: attempt("2.15.0", 10), progress: Progress::Allowed };
        assert_eq!(Begun::read(&record(&entries)), Some(expected));
        assert_eq!(Begun::read(&record(&entries[2..])), None);
    }

    #[test]
    fn a_request_names_the_version_and_the_number() {
        let version = attempt("2.15.0", 1).version;
        let requested = |annotation| Attempt::requested(&version, Some(annotation));
        assert_eq!(requested("2.15.0-2"), Some(2));
        for other in ["2.15.0", "2.14.0-2", "2.15.0-rc1-2", "2.15.0-", "true", ""] {
            assert_eq!(requested(other), None, "{other}");
        }
        assert_eq!(Attempt::requested(&version, None), None);
    }
}
