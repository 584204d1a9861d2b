//! The current path of a walk over an object, in the format of messages, and its depth.

use std::fmt::{self, Display, Write as _};

/// The maximum depth; serde_json parses no deeper.
const DEPTH: usize = 128;

/// The path from the root of an object to the current value.
#[derive(Debug, Default)]
pub(super) struct Path {
    text: String,
    depth: usize,
}

/// The state of a path before it was extended.
#[must_use]
pub(super) struct Mark(usize);

impl Path {
    /// Appends a field.
    pub fn field(&mut self, name: &str) -> Mark {
        let mark = self.mark();
        if !self.text.is_empty() {
            self.text.push('.');
        }
        self.text.push_str(name);
        mark
    }

    /// Appends a key of a map.
    pub fn key(&mut self, name: &str) -> Mark {
        let mark = self.mark();
        self.step(name);
        mark
    }

    /// Appends an index.
    pub fn index(&mut self, index: usize) -> Mark {
        let mark = self.mark();
        self.step(index);
        mark
    }

    /// Returns to an earlier state.
    pub fn leave(&mut self, Mark(length): Mark) {
        self.text.truncate(length);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether the walk must end here.
    pub fn is_too_deep(&self) -> bool {
        self.depth > DEPTH
    }

    pub fn is_root(&self) -> bool {
        self.depth == 0
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The field in the format of field errors; empty for the root.
    pub fn named(&self) -> String {
        if self.text.is_empty() { ROOT.to_owned() } else { self.text.clone() }
    }

    fn mark(&mut self) -> Mark {
        self.depth += 1;
        Mark(self.text.len())
    }

    fn step(&mut self, step: impl Display) {
        // Writing to a string cannot fail.
        let _written = write!(self.text, "[{step}]");
    }
}

/// The path of the root in Go.
pub(super) const ROOT: &str = "<nil>";

impl Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
