//! The files with which Harbor migrates the schema, and the marks by which one sees that a file has been applied.

use std::fmt;

/// A release of Harbor: major, minor and patch number.
pub type Release = (u32, u32, u32);

/// A file that migrates the schema. PostgreSQL applies it as a whole or not at all.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    /// The version of the schema afterwards.
    pub number: u32,
    /// The first release of Harbor with it.
    pub release: Release,
    /// What holds once it has been applied. A file without marks leaves none, and can be executed again.
    pub marks: &'static [Mark],
}

/// Something that shows that a file has been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// There is this table.
    Table(&'static str),
    /// There is no such table.
    NoTable(&'static str),
    /// There is this column of this table.
    Column(&'static str, &'static str),
    /// There is this index.
    Index(&'static str),
}

/// The files since Harbor 2.5, in order.
pub const FILES: [File; 17] = [
    file(80, (2, 5, 0), &[Mark::Table("artifact_accessory")]),
    file(81, (2, 5, 2), &[Mark::Index("idx_artifact_repository_name")]),
    // Corrects the status of executions.
    file(82, (2, 5, 3), &[]),
    file(90, (2, 6, 0), &[Mark::Table("system_artifact")]),
    file(91, (2, 6, 2), &[Mark::Column("replication_policy", "copy_by_chunk")]),
    file(100, (2, 7, 0), &[Mark::Table("job_queue_status")]),
    file(
        110,
        (2, 8, 0),
        &[Mark::Column("artifact_accessory", "subject_artifact_digest"), Mark::NoTable("notification_job")],
    ),
    file(111, (2, 8, 1), &[Mark::Index("idx_task_extra_attrs_report_uuids")]),
    file(120, (2, 9, 0), &[Mark::Column("scan_report", "critical_cnt")]),
    file(130, (2, 10, 0), &[Mark::NoTable("harbor_resource_label")]),
    file(140, (2, 11, 0), &[Mark::Table("sbom_report")]),
    file(150, (2, 12, 0), &[Mark::Column("robot", "creator_ref")]),
    file(160, (2, 13, 0), &[Mark::Table("audit_log_ext")]),
    file(170, (2, 14, 0), &[Mark::Column("replication_policy", "single_active_replication")]),
    // Sets a default of the configuration, in some databases.
    file(171, (2, 14, 1), &[]),
    file(180, (2, 15, 0), &[Mark::Column("registry", "ca_certificate")]),
    // Widens columns.
    file(181, (2, 15, 3), &[]),
];

const fn file(number: u32, release: Release, marks: &'static [Mark]) -> File {
    File { number, release, marks }
}

impl File {
    /// The file with this number.
    pub fn numbered(number: i64) -> Option<&'static Self> {
        FILES.iter().find(|file| i64::from(file.number) == number)
    }

    /// The file before it, if Harbor 2.5 or later has it.
    pub fn before(&self) -> Option<&'static Self> {
        FILES.iter().rev().find(|file| file.number < self.number)
    }

    /// The versions of Harbor whose newest file it is, for messages.
    pub fn harbors(&self) -> String {
        let text = |(major, minor, patch): Release| format!("{major}.{minor}.{patch}");
        let first = text(self.release);
        match FILES.iter().find(|file| file.number > self.number) {
            Some(next) => format!("{first} or later, before {}", text(next.release)),
            None => format!("{first} or later"),
        }
    }
}

/// What holds, such as `there is table sbom_report`.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(name) => write!(f, "there is table {name}"),
            Self::NoTable(name) => write!(f, "there is no table {name}"),
            Self::Column(table, column) => write!(f, "there is column {table}.{column}"),
            Self::Index(name) => write!(f, "there is index {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_order_and_each_knows_the_one_before() {
        assert!(FILES.windows(2).all(|pair| pair[0].number < pair[1].number));
        assert!(FILES.windows(2).all(|pair| pair[1].before() == Some(&pair[0])));
        assert_eq!(FILES[0].before(), None);
    }

    #[test]
    fn a_schema_belongs_to_the_harbors_between_its_file_and_the_next() {
        let harbors = |number| File::numbered(number).map(File::harbors);
        assert_eq!(harbors(120).as_deref(), Some("2.9.0 or later, before 2.10.0"));
        assert_eq!(harbors(181).as_deref(), Some("2.15.3 or later"));
        assert_eq!(harbors(121), None);
    }
}
