//! What is wrong with a value that a user wrote.

use plan::PlanError;
use std::fmt;

/// What is wrong with a value, without the value.
#[derive(Debug)]
pub(crate) struct Fault {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl Fault {
    /// A fault in these words.
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into() }
    }

    /// The error that a field, or an object, has this fault.
    pub fn at(self, subject: impl fmt::Display) -> PlanError {
        PlanError::invalid(subject, self.problem, self.remedy)
    }
}

/// Refuses an empty value.
pub(crate) fn not_empty(value: &[u8]) -> Result<(), Fault> {
    if value.is_empty() { Err(Fault::new("is empty", "give it a value")) } else { Ok(()) }
}
