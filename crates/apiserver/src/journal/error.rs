//! Why a journal cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system said no.
    #[error("cannot use the journal {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another process has it.
    #[error("the journal {} is in use by another process; stop that one or name another file", .0.display())]
    Locked(PathBuf),
    /// It is something else.
    #[error("{} is not a journal; name another file", .0.display())]
    Foreign(PathBuf),
    /// It was written by a version of this program that knows more.
    #[error("the journal {} has version {version}, and this program reads {ours}; use a newer one", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
        /// The version we know.
        ours: u64,
    },
    /// A line was damaged.
    #[error(
        "line {line} of the journal {} is damaged ({why}); remove the line to lose that change only, or the file to \
         begin anew",
        path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Counted from one.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// An earlier write failed halfway.
    #[error("the journal {} ends in half a line that could not be removed; restart to repair it", .0.display())]
    Torn(PathBuf),
}
