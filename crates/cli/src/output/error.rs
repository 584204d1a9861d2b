//! Errors of commands.

use plan::{ObjectKey, PlanError, Violation};
use std::{collections::BTreeSet, fmt, io, vec};

/// An error: its message names the place, the problem and the remedy, never a secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, or an object in one, is invalid.
    #[error("{0}")]
    Input(Violation),
    /// Referenced objects were neither given nor rendered.
    #[error("{}", Missing { owner, keys })]
    Missing {
        /// The object that refers to them.
        owner: String,
        /// The missing objects.
        keys: BTreeSet<ObjectKey>,
    },
    /// The spec of the object is invalid.
    #[error("{owner}: {violation}")]
    Plan {
        /// The object.
        owner: String,
        /// What is invalid, and the remedy.
        violation: Violation,
    },
    /// The API server does not serve a required kind.
    #[error("{owner}: {problem}")]
    Unserved {
        /// The object that requires it.
        owner: String,
        /// Which kind, and what to install.
        problem: String,
    },
    /// An object cannot be serialized.
    #[error("{object}: cannot be written as text ({problem}); please report this")]
    Encode {
        /// The object.
        object: String,
        /// The error of the serializer.
        problem: String,
    },
    /// The command cannot connect to a cluster.
    #[error("{0}")]
    Connect(Violation),
    /// The command cannot read the cluster.
    #[error("cannot read the cluster: {0}")]
    Inspect(String),
    /// An object of the cluster has an error.
    #[error("{object}: {problem}")]
    Object {
        /// The object.
        object: String,
        /// What is wrong, and the remedy.
        problem: String,
    },
    /// The settings of leader election are invalid.
    #[error("leader election: {0}")]
    Election(String),
    /// The operator has no digest key.
    #[error("the digest key: {0}")]
    DigestKey(String),
    /// The operator lost its lease.
    #[error("{0}; another operator takes over")]
    Deposed(String),
    /// Cannot listen on an address.
    #[error("cannot listen on {address}: {problem}; choose another with {flag}, or off")]
    Listen {
        /// The address.
        address: String,
        /// The error.
        problem: String,
        /// The flag that sets it.
        flag: String,
    },
    /// The operator ended unexpectedly.
    #[error("the operator ended: {0}; please report this with its log")]
    Run(String),
    /// The sandbox failed.
    #[cfg(feature = "sandbox")]
    #[error(transparent)]
    Sandbox(#[from] super::SandboxError),
    /// The database of a Harbor cannot be read, or is left as it is.
    #[error("the database: {0}")]
    Database(String),
    /// Cannot write to standard output.
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

/// All errors of a command; at least one.
#[derive(Debug)]
pub struct Failure(Vec<Error>);

impl Failure {
    /// The errors of a plan for `owner`: one for each thing to correct.
    pub fn plan(owner: &ObjectKey, error: PlanError) -> Self {
        let owner = owner.to_string();
        match error {
            PlanError::Missing(keys) => Self(vec![Error::Missing { owner, keys }]),
            PlanError::Invalid(violations) => {
                let each = |violation| Error::Plan { owner: owner.clone(), violation };
                Self(violations.into_iter().map(each).collect())
            }
            PlanError::Prevented { violation, .. } => Self(vec![Error::Plan { owner, violation }]),
            PlanError::Unfilled(keys) => {
                let empty = |key: &ObjectKey| {
                    Error::input(
                        key,
                        format!("has no value, and {owner} needs one"),
                        "set the keys that it should have",
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
                let remedy = "please report this: the component reads it again and again";
                Self(vec![Error::input(owner, unread.to_string(), remedy)])
            }
        }
    }

    /// The errors, in the order in which they were found.
    pub fn errors(&self) -> &[Error] {
        &self.0
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self.0.first() {
            #[cfg(feature = "sandbox")]
            Some(Error::Sandbox(error)) => error.exit_code(),
            _ => 1,
        }
    }

    /// Success if there are no errors.
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
