//! Where an object is, in one word and one sign.

use std::fmt;

/// Where an object is. In the order in which they deserve attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It will not get there by waiting.
    Failed,
    /// It is not ready yet.
    Waiting,
    /// It is not tried, because another one is not ready.
    Blocked,
    /// It is being written.
    Applying,
    /// Nothing has been done yet.
    Pending,
    /// The user asked to leave it alone.
    Paused,
    /// It is as it should be.
    Ready,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Failed,
        Self::Waiting,
        Self::Blocked,
        Self::Applying,
        Self::Pending,
        Self::Paused,
        Self::Ready,
    ];

    /// The word for people, for links and for style sheets.
    pub fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
            Self::Applying => "applying",
            Self::Pending => "pending",
            Self::Paused => "paused",
            Self::Ready => "ready",
        }
    }

    /// The state with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
