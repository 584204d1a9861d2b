//! Objects that every Harbor has.

use crate::failure::rejected;
use plan::SystemError;

/// Nobody creates an object that always exists.
pub(crate) fn exists(name: &str) -> SystemError {
    rejected(
        format!("Harbor has no {name} that this account may see"),
        "use the account of an administrator, or a version of Harbor that has it",
    )
}
