//! Classes of errors. The class of an error decides how the operator responds to it.

use std::fmt;

/// The class of an error. It decides requeue, condition, event and metric in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A dependency is missing or not ready. Its watch triggers the next reconcile.
    Dependency,
    /// Another client wrote first. The operator retries with the current state.
    Conflict,
    /// The API server or the network has a problem. The operator retries with backoff.
    Transient,
    /// The spec is invalid. The operator waits until the user changes it.
    Invalid,
    /// The operator lacks a permission. It retries slowly and reports the missing permission.
    Forbidden,
    /// A bug in the operator. It is never expected, and always counted.
    Internal,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dependency => "dependency",
            Self::Conflict => "conflict",
            Self::Transient => "transient",
            Self::Invalid => "invalid",
            Self::Forbidden => "forbidden",
            Self::Internal => "internal",
        })
    }
}

/// An error that states its class and its reason.
pub trait Classify: std::error::Error {
    /// Its class.
    fn class(&self) -> Class;

    /// One `PascalCase` word, used as condition reason, event reason and metric label.
    fn reason(&self) -> &'static str;

    /// Whether the error stays until a user or a developer acts.
    fn stalls(&self) -> bool {
        matches!(self.class(), Class::Invalid | Class::Forbidden | Class::Internal)
    }
}
