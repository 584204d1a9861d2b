//! Objects that every Harbor or every project has.

use crate::failure::{missing, rejected};
use plan::SystemError;

/// The error for the creation of an object that every Harbor has.
pub(crate) fn exists(name: &str) -> SystemError {
    rejected(
        format!("Harbor has no {name} that this account may see"),
        "use the account of an administrator, or a version of Harbor that has it",
    )
}

/// The error for the creation of an object that every project has.
pub(crate) fn no_project(project: &str) -> SystemError {
    missing("project", project)
}
