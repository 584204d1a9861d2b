//! What state a schema is in, and what repairs it: decided from what was read, without the database.

use super::files::{File, Mark};
use std::fmt;

/// The row of table `schema_migrations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the newest file that Core began to execute.
    pub version: i64,
    /// Whether Core saw no good end of it.
    pub dirty: bool,
}

/// What state a schema is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No Core has migrated this database: it has no table `schema_migrations`, or the table has no row.
    New,
    /// Every file that began was applied.
    Clean {
        /// The number of the newest one.
        version: i64,
    },
    /// Core does not know whether a file was applied, and refuses to start.
    Dirty {
        /// Its number.
        version: i64,
        /// What the database shows.
        file: FileState,
    },
}

/// Whether a file has been applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has: everything holds by which one sees that.
    Applied,
    /// It has not, and the schema is that of the file before.
    NotApplied {
        /// The number of the file before.
        before: u32,
    },
    /// It leaves no mark, and can be executed again.
    Repeatable {
        /// The number of the file before.
        before: u32,
    },
    /// It has not, and the file before is older than Harbor 2.5.
    First,
    /// Some of its marks hold, others do not: something else than Core has changed the schema.
    Contradictory {
        /// What holds.
        holds: Vec<Mark>,
        /// What does not.
        lacks: Vec<Mark>,
    },
    /// No Harbor from 2.5 to 2.15 has such a file.
    Unknown,
}

/// What repairs a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// There is nothing to repair.
    Nothing,
    /// The table should have this row.
    Set(Row),
}

/// Why a schema is not repaired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The row says nothing that this program could act on.
    #[error(
        "file {version} is dirty, and is none of Harbor 2.5 to 2.15; use the version of this program that knows it, or \
         restore a backup"
    )]
    Unknown {
        /// The number.
        version: i64,
    },
    /// The version of the file before is not known.
    #[error(
        "file {version} has not been applied, and the version before it belongs to a Harbor before 2.5; restore a backup, \
         and migrate it with Harbor 2.5 again"
    )]
    First {
        /// The number.
        version: i64,
    },
    /// The marks contradict each other.
    #[error(
        "file {version} is neither applied nor not applied: {}; something else has changed the schema, so restore a \
         backup",
        contradiction(holds, lacks)
    )]
    Contradictory {
        /// The number.
        version: i64,
        /// What holds.
        holds: Vec<Mark>,
        /// What does not.
        lacks: Vec<Mark>,
    },
}

fn contradiction(holds: &[Mark], lacks: &[Mark]) -> String {
    let holds = holds.iter().map(ToString::to_string);
    let lacks = lacks.iter().map(|mark| format!("it is not true that {mark}"));
    holds.chain(lacks).collect::<Vec<_>>().join(", ")
}

impl Finding {
    /// What the row means, given which marks hold.
    pub fn of(row: Option<Row>, holds: impl Fn(&Mark) -> bool) -> Self {
        match row {
            None => Self::New,
            Some(Row { version, dirty: false }) => Self::Clean { version },
            Some(Row { version, dirty: true }) => Self::Dirty { version, file: state(version, holds) },
        }
    }

    /// What repairs the schema.
    ///
    /// # Errors
    /// When the database does not prove what is right.
    pub fn repair(&self) -> Result<Repair, Refusal> {
        let Self::Dirty { version, file } = self else { return Ok(Repair::Nothing) };
        let (version, set) = (*version, |version| Ok(Repair::Set(Row { version, dirty: false })));
        match file {
            FileState::Applied => set(version),
            FileState::NotApplied { before } | FileState::Repeatable { before } => set(i64::from(*before)),
            FileState::First => Err(Refusal::First { version }),
            FileState::Contradictory { holds, lacks } => {
                Err(Refusal::Contradictory { version, holds: holds.clone(), lacks: lacks.clone() })
            }
            FileState::Unknown => Err(Refusal::Unknown { version }),
        }
    }
}

fn state(version: i64, holds: impl Fn(&Mark) -> bool) -> FileState {
    let Some(file) = File::numbered(version) else { return FileState::Unknown };
    let (hold, lack): (Vec<_>, Vec<_>) = file.marks.iter().copied().partition(holds);
    let before = file.before().map(|file| file.number);
    match (&hold[..], &lack[..], before) {
        ([], [], Some(before)) => FileState::Repeatable { before },
        ([_, ..], [], _) => FileState::Applied,
        ([], _, Some(before)) => FileState::NotApplied { before },
        ([], _, None) => FileState::First,
        ([_, ..], [_, ..], _) => FileState::Contradictory { holds: hold, lacks: lack },
    }
}

/// What a user is told about the newest file, without its number.
impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Applied => f.write_str("has been applied"),
            Self::NotApplied { before } => {
                write!(f, "has not been applied: the schema is that of file {before}")
            }
            Self::Repeatable { before } => {
                write!(f, "leaves no mark, and can be executed again after file {before}")
            }
            Self::First => f.write_str("has not been applied: the schema is older than Harbor 2.5"),
            Self::Contradictory { holds, lacks } => {
                write!(f, "is neither applied nor not applied: {}", contradiction(holds, lacks))
            }
            Self::Unknown => f.write_str("is none of Harbor 2.5 to 2.15"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::files::FILES, *};

    fn repaired(version: i64, holds: fn(&Mark) -> bool) -> Result<Repair, Refusal> {
        Finding::of(Some(Row { version, dirty: true }), holds).repair()
    }

    fn set(version: i64) -> Repair {
        Repair::Set(Row { version, dirty: false })
    }

    #[test]
    fn a_file_that_was_applied_is_kept_and_one_that_was_not_is_executed_again() {
        for file in &FILES {
            let number = i64::from(file.number);
            let applied =
                if file.marks.is_empty() { file.before().map(|file| file.number) } else { Some(file.number) };
            assert_eq!(repaired(number, |_| true), Ok(set(applied.unwrap().into())), "{number}");
            let expected = file.before().map(|before| set(before.number.into()));
            let expected = expected.ok_or(Refusal::First { version: number });
            assert_eq!(repaired(number, |_| false), expected, "{number}");
        }
    }

    #[test]
    fn a_clean_or_new_schema_needs_no_repair_whatever_its_version() {
        for row in [None, Some(Row { version: 180, dirty: false }), Some(Row { version: 999, dirty: false })]
        {
            assert_eq!(Finding::of(row, |_| false).repair(), Ok(Repair::Nothing));
        }
    }

    #[test]
    fn what_the_database_does_not_prove_is_refused() {
        assert_eq!(repaired(190, |_| true), Err(Refusal::Unknown { version: 190 }));
        assert_eq!(repaired(-1, |_| true), Err(Refusal::Unknown { version: -1 }));
        let refusal = repaired(110, |mark| matches!(mark, Mark::Column(..))).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "file 110 is neither applied nor not applied: there is column artifact_accessory.subject_artifact_digest, it is \
             not true that there is no table notification_job; something else has changed the schema, so restore a backup"
        );
    }
}
