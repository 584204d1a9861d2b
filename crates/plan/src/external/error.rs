//! Errors of systems outside the cluster.

use crate::{Class, Classify};

/// Why a request to a system failed. The status of the owner shows the message, so it never contains a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// It could not be reached or did not answer. Whether it performed the request is unknown.
    #[error("{0}")]
    Unreachable(String),
    /// It does not accept the object as it is.
    #[error("{problem}; {remedy}")]
    Rejected {
        /// What is wrong with the object.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// It does not accept the credentials, or they lack a permission.
    #[error("{problem}; {remedy}")]
    Forbidden {
        /// What is not allowed.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// Another object must be changed or deleted first.
    #[error("{problem}; {remedy}")]
    InUse {
        /// Which object that is.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// The object to delete is not empty.
    #[error("{problem}; {remedy}")]
    NotEmpty {
        /// How many and what they are.
        problem: String,
        /// What a user can do.
        remedy: String,
    },
    /// It accepts no changes for now, such as during maintenance. Nothing is wrong with the object.
    #[error("{0}; the operator continues when it accepts changes again")]
    ReadOnly(String),
    /// The object to create already exists.
    #[error("it was created by another program just now; the operator tries again")]
    Exists,
    /// The system no longer exists.
    #[error(
        "the system does not exist any more; delete this object, or correct the field that names the system"
    )]
    Gone,
}

impl SystemError {
    /// The same error, with the field that a user corrects where the object is what is wrong.
    #[must_use]
    pub fn about(self, field: Option<&str>) -> Self {
        let Some(field) = field else { return self };
        match self {
            Self::Rejected { problem, remedy } => {
                Self::Rejected { problem: format!("{field}: {problem}"), remedy }
            }
            Self::InUse { problem, remedy } => Self::InUse { problem: format!("{field}: {problem}"), remedy },
            other => other,
        }
    }
}

impl Classify for SystemError {
    fn class(&self) -> Class {
        match self {
            Self::Unreachable(_) | Self::InUse { .. } | Self::NotEmpty { .. } | Self::ReadOnly(_) => {
                Class::Transient
            }
            Self::Rejected { .. } => Class::Invalid,
            Self::Forbidden { .. } => Class::Forbidden,
            Self::Exists => Class::Conflict,
            Self::Gone => Class::Dependency,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "ExternalUnreachable",
            Self::Rejected { .. } => "ExternalRejected",
            Self::Forbidden { .. } => "ExternalForbidden",
            Self::InUse { .. } => "ExternalInUse",
            Self::NotEmpty { .. } => "NotEmpty",
            Self::ReadOnly(_) => "ExternalReadOnly",
            Self::Exists => "Conflict",
            Self::Gone => "ExternalGone",
        }
    }
}
