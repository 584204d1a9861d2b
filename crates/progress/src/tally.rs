//! Counts ready objects, the same way in all views.

use std::fmt;

/// How many objects are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The number of ready objects.
    pub ready: usize,
    /// The number of all objects.
    pub all: usize,
}

impl Tally {
    /// Whether all objects are ready.
    pub fn is_complete(self) -> bool {
        self.ready == self.all
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.ready, self.all)
    }
}
