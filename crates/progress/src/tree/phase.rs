//! The phase of an object, in one word.

use std::fmt;

/// The phase of an object, in the order in which phases need attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// It does not become ready by waiting.
    Failed,
    /// It is not ready yet.
    Waiting,
    /// It is not applied, because another object is not ready.
    Blocked,
    /// It is being applied.
    Applying,
    /// The operator has not begun with it.
    Pending,
    /// The user has paused its reconciliation.
    Paused,
    /// It was deleted, and is still expected.
    Deleted,
    /// It is ready, and so is everything below it.
    Ready,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 8] = [
        Self::Failed,
        Self::Waiting,
        Self::Blocked,
        Self::Applying,
        Self::Pending,
        Self::Paused,
        Self::Deleted,
        Self::Ready,
    ];

    /// The word for people, links and style sheets.
    pub fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
            Self::Applying => "applying",
            Self::Pending => "pending",
            Self::Paused => "paused",
            Self::Deleted => "deleted",
            Self::Ready => "ready",
        }
    }

    /// The phase with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.word() == word)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
