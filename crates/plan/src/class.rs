//! How a failure is answered, whatever caused it.

use std::fmt;

/// What kind of failure this is; decides requeue, condition, event and metric in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Something we read is missing or not ready; a watch brings us back.
    Dependency,
    /// Somebody else wrote first; try again with fresh state.
    Conflict,
    /// The API server or the network is unwell; retry with backoff.
    Transient,
    /// The user asked for something that cannot be; wait for the user.
    Invalid,
    /// The API server does not let us; retry slowly and say so.
    Forbidden,
    /// A bug of ours; never expected, always counted.
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

/// An error that knows how it wants to be answered.
pub trait Classify: std::error::Error {
    /// How to answer it.
    fn class(&self) -> Class;

    /// One `PascalCase` word: the condition reason, the event reason and the metric label are this word.
    fn reason(&self) -> &'static str;

    /// Whether waiting will not make it go away.
    fn stalls(&self) -> bool {
        matches!(self.class(), Class::Invalid | Class::Forbidden | Class::Internal)
    }
}
