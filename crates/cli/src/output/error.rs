//! Why a command failed, in words for whoever typed it.

use plan::{ObjectKey, PlanError, Violation};
use std::{collections::BTreeSet, fmt, io, vec};

/// One thing that went wrong: its message names the place, the problem and the remedy, never a secret.
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
    #[error("{owner}: {violation}")]
    Plan {
        /// The object.
        owner: String,
        /// What that is.
        violation: Violation,
    },
    /// A kind is needed that is not served.
    #[error("{owner}: {problem}")]
    Unserved {
        /// Who needs it.
        owner: String,
        /// Which kind, and what to install.
        problem: String,
    },
    /// What was rendered cannot be written down.
    #[error("{object}: cannot be written as text ({problem}); please report this")]
    Encode {
        /// What was to be written.
        object: String,
        /// Why not.
        problem: String,
    },
    /// There is no cluster to be had.
    #[error("{0}")]
    Connect(Violation),
    /// The cluster cannot be looked at.
    #[error("the cluster cannot be looked at: {0}")]
    Look(String),
    /// Something is wrong with an object of the cluster.
    #[error("{object}: {problem}")]
    Object {
        /// The object.
        object: String,
        /// What is wrong, and the remedy.
        problem: String,
    },
    /// No election can be held as asked.
    #[error("leader election: {0}")]
    Election(String),
    /// The operator cannot make digests that keep their secrets.
    #[error("the key of digests: {0}")]
    DigestKey(String),
    /// Another operator may be at work.
    #[error("{0}; another operator takes over")]
    Deposed(String),
    /// An address cannot be had.
    #[error("cannot listen on {address}: {problem}; choose another with {flag}, or off")]
    Listen {
        /// Which one.
        address: String,
        /// Why not.
        problem: String,
        /// How it was chosen.
        flag: String,
    },
    /// The operator came to an unexpected end.
    #[error("the operator ended: {0}; please report this with its log")]
    Run(String),
    /// The sandbox came to another end than was asked for.
    #[cfg(feature = "sandbox")]
    #[error(transparent)]
    Sandbox(#[from] super::SandboxError),
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
}

/// Everything that went wrong; never nothing.
#[derive(Debug)]
pub struct Failure(Vec<Error>);

impl Failure {
    /// Why there is no plan for `owner`: one error for each thing to put right.
    pub fn plan(owner: &ObjectKey, error: PlanError) -> Self {
        let owner = owner.to_string();
        match error {
            PlanError::Missing(keys) => Self(vec![Error::Missing { owner, keys }]),
            PlanError::Invalid(violations) => {
                let each = |violation| Error::Plan { owner: owner.clone(), violation };
                Self(violations.into_iter().map(each).collect())
            }
            PlanError::Unfilled(keys) => {
                let empty = |key: &ObjectKey| {
                    Error::input(
                        key,
                        format!("has no value, and {owner} needs one"),
                        "give it the keys it is to have",
                    )
                };
                Self(keys.iter().map(empty).collect())
            }
            unserved @ PlanError::Unserved(_) => {
                Self(vec![Error::Unserved { owner, problem: unserved.to_string() }])
            }
            unsettled @ PlanError::Unsettled(_) => {
                let remedy = "change both, or give the files of both";
                Self(vec![Error::input(owner, unsettled.to_string(), remedy)])
            }
            unread @ PlanError::Unread(_) => {
                let remedy = "report this, the component asks for it again and again";
                Self(vec![Error::input(owner, unread.to_string(), remedy)])
            }
        }
    }

    /// Everything, in the order in which it was found.
    pub fn errors(&self) -> &[Error] {
        &self.0
    }

    /// What the process exits with.
    pub fn exit_code(&self) -> u8 {
        match self.0.first() {
            #[cfg(feature = "sandbox")]
            Some(Error::Sandbox(error)) => error.exit_code(),
            _ => 1,
        }
    }

    /// Success if nothing went wrong.
    pub fn unless_empty(errors: Vec<Error>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }
}

impl IntoIterator for Failure {
    type Item = Error;
    type IntoIter = vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
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
