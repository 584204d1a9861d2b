//! The private folder of one control plane.

use crate::error::StartError;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, process};

/// A new empty folder that only this user can enter, in the system's temporary folder.
///
/// Not in `/dev/shm`: containers limit it to 64 MiB, which etcd's first log segment alone fills; without fsync a
/// disk is as fast.
pub(crate) fn create() -> Result<PathBuf, StartError> {
    loop {
        let folder = env::temp_dir().join(format!("harbor-envtest-{}", unique()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map_err(StartError::file(&folder)).map(|()| folder),
        }
    }
}

/// Writes a file atomically.
pub(crate) fn write(path: &Path, content: &str) -> Result<(), StartError> {
    let draft = path.with_added_extension(format!("draft-{}", unique()));
    fs::write(&draft, content).and_then(|()| fs::rename(&draft, path)).map_err(StartError::file(path))
}

/// The last lines of a log; empty when there is none yet.
pub(crate) fn tail(log: &Path, lines: usize) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// A copy of a log that outlives the folder.
pub(crate) fn keep(log: &Path) -> io::Result<PathBuf> {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let kept = env::temp_dir().join(format!("harbor-envtest-{}-{name}", unique()));
    fs::copy(log, &kept).map(|_| kept)
}

/// A text that is unique among calls, processes and earlier processes with the same id.
fn unique() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{:x}", process::id(), CALLS.fetch_add(1, Ordering::Relaxed), since_epoch.as_micros())
}
