//! What is wrong with a value that a user wrote.

use plan::PlanError;
use std::fmt;

/// What is wrong with a value. It never quotes the value, which may be a secret.
#[derive(Debug)]
pub(crate) struct Fault {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl Fault {
    /// A problem, and what to do about it.
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into() }
    }

    /// The error for a field or an object with this fault.
    pub fn at(self, subject: impl fmt::Display) -> PlanError {
        PlanError::invalid(subject, self.problem, self.remedy)
    }
}

/// Refuses an empty value.
pub(crate) fn not_empty(value: &[u8]) -> Result<(), Fault> {
    if value.is_empty() { Err(Fault::new("is empty", "give it a value")) } else { Ok(()) }
}
