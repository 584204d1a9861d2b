//! Why a program did not do what a test asked of it.

use crate::program::Program;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// Why a program could not be started or did not answer as it should. What a test's `unwrap` shows is the message.
#[derive(thiserror::Error)]
pub enum Failure {
    /// The program is not there.
    #[error("no {program} in {}; run hack/programs, or set HARBOR_PROGRAMS to a folder that holds it", folder.display())]
    NotFound {
        /// Which one.
        program: Program,
        /// Where it was looked for.
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
        /// What it said.
        log: Log,
    },
    /// A server was not ready in time.
    #[error("{program} was not ready after {seconds} s{log}")]
    NotReady {
        /// Which one.
        program: Program,
        /// How long it was waited for.
        seconds: u64,
        /// What it said.
        log: Log,
    },
    /// A command failed.
    #[error("{program} refused{words}")]
    Refused {
        /// Which one.
        program: Program,
        /// What it said.
        words: Log,
    },
    /// A request got no answer.
    #[error("{method} {url}: {problem}")]
    NoAnswer {
        /// The request's method.
        method: http::Method,
        /// Where it went.
        url: String,
        /// What happened.
        problem: String,
    },
    /// There is no browser.
    #[error("no browser at {}; run hack/browser, or set HARBOR_BROWSER to a Chromium", path.display())]
    NoBrowser {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The browser did not do what it was told to.
    #[error("the browser: {method}: {problem}")]
    Browser {
        /// What it was told.
        method: String,
        /// What happened.
        problem: String,
    },
    /// A key or certificate could not be made.
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

/// What a program wrote.
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
