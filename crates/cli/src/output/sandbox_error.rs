//! Why the sandbox came to another end than was asked for.

use std::fmt;

/// Why the sandbox came to another end than was asked for.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// It cannot be had.
    #[error("no sandbox: {0}")]
    Start(String),
    /// Applying took all the time there was.
    #[error("not everything was applied after {after}; give it more time with --timeout")]
    Slow {
        /// All the time there was.
        after: String,
    },
    /// An object did not become ready.
    #[error("{0}")]
    Unready(Unready),
    /// Somebody asked for the end before there was a result.
    #[error("interrupted before everything was ready")]
    Interrupted {
        /// The exit code by which shells know the signal.
        exit_code: u8,
    },
}

impl SandboxError {
    /// What the process exits with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted { exit_code } => *exit_code,
            Self::Start(_) | Self::Slow { .. } | Self::Unready(_) => 1,
        }
    }
}

/// An object that did not become ready in time.
#[derive(Debug)]
pub struct Unready {
    /// The object.
    pub object: String,
    /// In how much time.
    pub after: String,
    /// What is known of it.
    pub why: String,
    /// Its children that are not ready either, and what is known of them.
    pub children: Vec<String>,
}

impl fmt::Display for Unready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, after, why, children } = self;
        write!(f, "{object} is not ready after {after}: {why}")?;
        children.iter().try_for_each(|child| write!(f, "\n  {child}"))
    }
}
