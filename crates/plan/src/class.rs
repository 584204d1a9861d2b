//! Classes of errors. The class of an error decides how the operator responds to it.

use crate::ObjectKey;
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

/// An operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Server-side apply.
    Apply,
    /// Creation.
    Create,
    /// A change of an object outside the cluster.
    Update,
    /// Deletion.
    Delete,
    /// A read.
    Read,
    /// A list.
    List,
    /// Taking over fields of the old operator.
    Adopt,
    /// Releasing fields to other managers.
    Release,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Apply => "apply",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Read => "read",
            Self::List => "list",
            Self::Adopt => "take over",
            Self::Release => "release fields of",
        })
    }
}

/// What an error is about, for programs. Its message says the same to users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The operation that failed.
    pub verb: Option<Verb>,
    /// The object.
    pub object: Option<ObjectKey>,
    /// Fields of the object, or of the spec where there is no object.
    pub fields: Vec<String>,
}

impl Subject {
    /// An object.
    pub fn of(object: &ObjectKey) -> Self {
        Self { object: Some(object.clone()), ..Self::default() }
    }
}

/// An error that states its class and its reason.
pub trait Classify: std::error::Error {
    /// Its class.
    fn class(&self) -> Class;

    /// One `PascalCase` word, used as condition reason, event reason and metric label.
    fn reason(&self) -> &'static str;

    /// What it is about.
    fn subject(&self) -> Subject {
        Subject::default()
    }

    /// Whether the error stays until a user or a developer acts.
    fn stalls(&self) -> bool {
        matches!(self.class(), Class::Invalid | Class::Forbidden | Class::Internal)
    }
}
