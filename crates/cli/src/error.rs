//! Why a command failed, in words for whoever typed it.

use plan::{ObjectKey, PlanError, Violation};
use std::{collections::BTreeSet, fmt, io};

/// One thing that went wrong. Its message names the place, the problem and the remedy, and never holds a secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, or an object in one, is not what it should be.
    #[error("{0}")]
    Input(Violation),
    /// Referenced objects were neither given nor rendered.
    #[error("{}", Missing { owner, keys })]
    Missing {
        /// Who refers to them.
        owner: String,
        /// What is missing.
        keys: BTreeSet<ObjectKey>,
    },
    /// The object asks for something that cannot be.
    #[error("{owner}: {error}")]
    Plan {
        /// The object.
        owner: String,
        /// What that is.
        error: PlanError,
    },
    /// What was rendered cannot be written down.
    #[error("{object}: cannot be written as text ({problem}); please report this")]
    Encode {
        /// What was to be written.
        object: String,
        /// Why not.
        problem: String,
    },
    /// Standard output does not take it.
    #[error("standard output: {0}")]
    Output(io::Error),
}

impl Error {
    /// An [`Error::Input`].
    pub fn input(place: impl fmt::Display, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (problem, remedy) = (problem.into(), remedy.into());
        Self::Input(Violation { subject: place.to_string(), problem, remedy })
    }

    /// What `owner` could not be planned for.
    pub fn plan(owner: &ObjectKey, error: PlanError) -> Self {
        let owner = owner.to_string();
        match error {
            PlanError::Missing(keys) => Self::Missing { owner, keys },
            error => Self::Plan { owner, error },
        }
    }
}

/// Everything that went wrong; never nothing.
#[derive(Debug)]
pub struct Failure(Vec<Error>);

impl Failure {
    /// Everything, in the order in which it was found.
    pub fn errors(&self) -> &[Error] {
        &self.0
    }

    /// Success if nothing went wrong.
    pub fn unless_empty(errors: Vec<Error>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(vec![error])
    }
}

struct Missing<'a> {
    owner: &'a str,
    keys: &'a BTreeSet<ObjectKey>,
}

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys = self.keys.iter();
        if let (Some(only), None) = (keys.next(), keys.next()) {
            return write!(
                f,
                "{}: {only} does not exist; put it into a file in --inputs DIR or give its file with -f",
                self.owner
            );
        }
        writeln!(f, "{}: {} objects do not exist:", self.owner, self.keys.len())?;
        self.keys.iter().try_for_each(|key| writeln!(f, "  {key}"))?;
        write!(f, "put them into files in --inputs DIR or give their files with -f")
    }
}
