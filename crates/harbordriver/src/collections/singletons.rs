//! Objects that every Harbor or every project has.

use crate::failure::{missing, rejected};
use plan::SystemError;

/// Nobody creates an object that always exists.
pub(crate) fn exists(name: &str) -> SystemError {
    rejected(
        format!("Harbor has no {name} that this account may see"),
        "use the account of an administrator, or a version of Harbor that has it",
    )
}

/// Nobody creates an object that exists with its project.
pub(crate) fn no_project(project: &str) -> SystemError {
    missing("project", project)
}
