//! Errors of the client as errors of a system.

use harbor::{Error, Failure};
use plan::SystemError;

/// What an error of Harbor means to the engine.
pub(crate) fn system_error(error: Error) -> SystemError {
    let (problem, remedy) = (error.to_string(), error.remedy().to_owned());
    match error.failure() {
        Failure::Unreachable(_)
        | Failure::DatabaseDown
        | Failure::ServerFailure { .. }
        | Failure::Unexpected(_) => SystemError::Unreachable(format!("{problem}; {remedy}")),
        Failure::ReadOnly => SystemError::ReadOnly(error.failure().to_string()),
        Failure::CredentialsRejected { .. } | Failure::Forbidden(_) => {
            SystemError::Forbidden { problem, remedy }
        }
        Failure::Conflict(_) => SystemError::Exists,
        // What a request refers to may be created later.
        Failure::InUse(_) | Failure::Dependency { .. } | Failure::NotFound(_) => {
            SystemError::InUse { problem, remedy }
        }
        Failure::Invalid(_) | Failure::Unsupported(_) => SystemError::Rejected { problem, remedy },
    }
}

/// An object cannot be as desired.
pub(crate) fn rejected(problem: impl Into<String>, remedy: impl Into<String>) -> SystemError {
    SystemError::Rejected { problem: problem.into(), remedy: remedy.into() }
}

/// Another object is missing. It may be created later.
pub(crate) fn missing(what: &str, name: &str) -> SystemError {
    SystemError::InUse {
        problem: format!("Harbor has no {what} {name}"),
        remedy: "create it, or correct the name".to_owned(),
    }
}

/// What the engine must know after an object was created: that it exists. Any other error would let the
/// engine forget that it created the object.
pub(crate) fn after_creation(error: SystemError) -> SystemError {
    match error {
        SystemError::ReadOnly(_) | SystemError::Unreachable(_) => {
            SystemError::Unreachable(format!("it was created, but it is not complete: {error}"))
        }
        error => SystemError::Unreachable(format!("it was created, but not as desired: {error}")),
    }
}
