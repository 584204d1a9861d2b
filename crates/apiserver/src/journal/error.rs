//! Why a journal cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file operation failed.
    #[error("cannot use the journal {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another process uses it.
    #[error("the journal {} is in use by another process; stop that one or name another file", .0.display())]
    Locked(PathBuf),
    /// It is not a journal.
    #[error("{} is not a journal; name another file", .0.display())]
    Foreign(PathBuf),
    /// A newer version of this program wrote it.
    #[error("the journal {} has version {version}, and this program supports {ours}; use a newer program", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
        /// The version that this program supports.
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
    #[error("the journal {} ends in an incomplete line that could not be removed; restart to repair it", .0.display())]
    Torn(PathBuf),
}
