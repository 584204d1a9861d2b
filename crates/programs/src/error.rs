//! Errors of programs.

use crate::program::Program;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// Why a program could not be started or failed. The debug output is the message, for `unwrap` in tests.
#[derive(thiserror::Error)]
pub enum Failure {
    /// The program does not exist.
    #[error("no {program} in {}; run hack/programs, or set HARBOR_PROGRAMS to a folder that holds it", folder.display())]
    NotFound {
        /// Which one.
        program: Program,
        /// The folder that should contain it.
        folder: PathBuf,
    },
    /// A file could not be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// A port of the loopback interface could not be reserved.
    #[error("no free port on 127.0.0.1: {0}")]
    Port(#[source] io::Error),
    /// A process could not be started.
    #[error("{program} could not be started: {source}")]
    Spawn {
        /// Which one.
        program: Program,
        /// What happened.
        source: io::Error,
    },
    /// A server ended instead of starting.
    #[error("{program} ended with status {status}{log}")]
    Exited {
        /// Which one.
        program: Program,
        /// Its exit status.
        status: String,
        /// Its log.
        log: Log,
    },
    /// A server was not ready in time.
    #[error("{program} was not ready after {seconds} s{log}")]
    NotReady {
        /// Which one.
        program: Program,
        /// How long the test waited.
        seconds: u64,
        /// Its log.
        log: Log,
    },
    /// A command failed.
    #[error("{program} refused{words}")]
    Refused {
        /// Which one.
        program: Program,
        /// Its output.
        words: Log,
    },
    /// A request got no answer.
    #[error("{method} {url}: {problem}")]
    NoAnswer {
        /// The request's method.
        method: http::Method,
        /// The URL.
        url: String,
        /// What happened.
        problem: String,
    },
    /// There is no browser.
    #[error("no browser at {}; run hack/browser, or set HARBOR_BROWSER to a Chromium", path.display())]
    NoBrowser {
        /// The expected path.
        path: PathBuf,
    },
    /// A command of the browser failed.
    #[error("the browser: {method}: {problem}")]
    Browser {
        /// The command.
        method: String,
        /// What happened.
        problem: String,
    },
    /// A key or certificate could not be created.
    #[error("test certificates: {0}")]
    Certificate(#[from] rcgen::Error),
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Failure {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }
}

/// The output of a program.
#[derive(Clone, PartialEq, Eq)]
pub struct Log(pub String);

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim_end() {
            "" => f.write_str(", and said nothing"),
            words => write!(f, "; it said:\n{words}"),
        }
    }
}
