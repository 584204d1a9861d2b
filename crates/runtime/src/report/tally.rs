//! How many are ready, counted in one way wherever it is shown.

use std::fmt;

/// How many of some objects are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Those that are.
    pub ready: usize,
    /// All of them.
    pub all: usize,
}

impl Tally {
    /// Counts objects, of each of which is said whether it is ready.
    pub fn of(objects: impl IntoIterator<Item = bool>) -> Self {
        objects.into_iter().fold(Self { ready: 0, all: 0 }, |tally, ready| Self {
            ready: tally.ready + usize::from(ready),
            all: tally.all + 1,
        })
    }

    /// Whether each is.
    pub fn is_complete(self) -> bool {
        self.ready == self.all
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.ready, self.all)
    }
}
