//! Why the sandbox failed.

use std::fmt;

/// Why the sandbox failed.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// It cannot start.
    #[error("no sandbox: {0}")]
    Start(String),
    /// The timeout expired before all objects were applied.
    #[error("not everything was applied after {after}; give it more time with --timeout")]
    Slow {
        /// The timeout.
        after: String,
    },
    /// An object did not become ready.
    #[error("{0}")]
    Unready(Unready),
    /// Interrupted by a signal.
    #[error("interrupted before everything was ready")]
    Interrupted {
        /// The exit code that shells use for the signal.
        exit_code: u8,
    },
}

impl SandboxError {
    /// The exit code of the process.
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
    /// The timeout.
    pub after: String,
    /// Its state.
    pub why: String,
    /// Its children that are not ready either, with their states.
    pub children: Vec<String>,
}

impl fmt::Display for Unready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, after, why, children } = self;
        write!(f, "{object} is not ready after {after}: {why}")?;
        children.iter().try_for_each(|child| write!(f, "\n  {child}"))
    }
}
