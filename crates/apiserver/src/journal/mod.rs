//! All objects in one file, so that a restarted server continues with them.
//!
//! The file is a header and then one line of JSON for each change. It is rewritten without outdated lines
//! when it is opened, and when it has grown to a multiple of the size of the current objects.

mod error;
mod format;
#[cfg(test)]
mod tests;

pub use error::JournalError;
pub(crate) use format::Header;

use crate::store::{Change, Key};
use format::{Line, Prelude};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file is rewritten when it is this many times as long as necessary,
const SLACK: u64 = 4;

/// and longer than this.
const SMALL: u64 = 256 * 1024;

/// How often opening is retried when another process replaces the file meanwhile.
const ATTEMPTS: usize = 10;

/// A file with all changes.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// Locked as long as the journal exists.
    file: File,
    header: Header,
    /// The latest revision, including those of deletions.
    revision: u64,
    live: BTreeMap<Key, Live>,
    live_bytes: u64,
    bytes: u64,
    condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Sound,
    /// A write failed halfway and could not be undone. Another line would corrupt the file.
    Torn,
}

/// The last change of an object that exists.
#[derive(Debug)]
struct Live {
    revision: u64,
    object: Arc<serde_json::Value>,
    bytes: u64,
}

impl Journal {
    /// Opens the file, or creates it. Returns one change for each object that exists, the oldest first.
    pub fn open(path: &Path) -> Result<(Self, Vec<Change>), JournalError> {
        let failed = |source| JournalError::Io { path: path.to_owned(), source };
        let mut file = locked(path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;

        let mut journal = Self {
            path: path.to_owned(),
            file,
            header: Header::default(),
            revision: 0,
            live: BTreeMap::new(),
            live_bytes: 0,
            bytes: 0,
            condition: Condition::Sound,
        };
        if !text.is_empty() {
            journal.read(&text)?;
        }
        journal.compact()?;
        let mut changes: Vec<Change> = journal
            .live
            .iter()
            .map(|(key, live)| Change {
                revision: live.revision,
                key: key.clone(),
                before: None,
                after: Some(Arc::clone(&live.object)),
            })
            .collect();
        changes.sort_by_key(|change| change.revision);
        Ok((journal, changes))
    }

    /// The content of the file besides objects.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Replaces the content of the file besides objects.
    pub fn set_header(&mut self, header: Header) -> Result<(), JournalError> {
        self.header = header;
        self.compact()
    }

    /// The latest recorded revision, also if all its objects were deleted.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Records a change. After an error the change is not recorded; earlier changes still are.
    pub fn record(&mut self, change: &Change) -> Result<(), JournalError> {
        if self.condition == Condition::Torn {
            return Err(JournalError::Torn(self.path.clone()));
        }
        let line = Line::of(change.revision, &change.key, change.after.as_deref());
        self.append(&line)?;
        self.note(change.revision, change.key.clone(), change.after.clone(), line.len() as u64);
        if self.bytes > SMALL && self.bytes > SLACK * self.live_bytes { self.compact() } else { Ok(()) }
    }

    fn append(&mut self, line: &[u8]) -> Result<(), JournalError> {
        let Err(source) = self.file.write_all(line) else {
            self.bytes += line.len() as u64;
            return Ok(());
        };
        let taken_back = self.file.set_len(self.bytes).and_then(|()| self.file.seek(SeekFrom::End(0)));
        if taken_back.is_err() {
            self.condition = Condition::Torn;
        }
        Err(JournalError::Io { path: self.path.clone(), source })
    }

    fn note(&mut self, revision: u64, key: Key, object: Option<Arc<serde_json::Value>>, bytes: u64) {
        self.revision = self.revision.max(revision);
        let outdated = match object {
            Some(object) => {
                self.live_bytes += bytes;
                self.live.insert(key, Live { revision, object, bytes })
            }
            None => self.live.remove(&key),
        };
        self.live_bytes -= outdated.map_or(0, |outdated| outdated.bytes);
    }

    fn read(&mut self, text: &[u8]) -> Result<(), JournalError> {
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').enumerate();
        let first = lines.next().map_or(&[][..], |(_, line)| line);
        let prelude = Prelude::parse(first, &self.path)?;
        self.header = prelude.header;
        self.revision = prelude.revision;
        for (index, line) in lines {
            match Line::parse(line) {
                Ok(parsed) => {
                    let (revision, key, object) = parsed.into_parts();
                    self.note(revision, key, object, line.len() as u64);
                }
                // The process ended while it wrote this line, before it acknowledged the change.
                Err(_) if !line.ends_with(b"\n") => {
                    tracing::warn!(path = %self.path.display(), line = index + 1, "skipped an incomplete line");
                }
                Err(why) => {
                    return Err(JournalError::Corrupt { path: self.path.clone(), line: index + 1, why });
                }
            }
        }
        Ok(())
    }

    /// Writes the current objects to a new file, which then replaces the old one.
    fn compact(&mut self) -> Result<(), JournalError> {
        let failed = |source| JournalError::Io { path: self.path.clone(), source };
        let mut text = Prelude { header: self.header.clone(), revision: self.revision }.line();
        let mut by_revision: Vec<(&Key, &Live)> = self.live.iter().collect();
        by_revision.sort_by_key(|(_, live)| live.revision);
        for (key, live) in by_revision {
            text.extend(Line::of(live.revision, key, Some(&live.object)));
        }
        self.file = replaced(&self.path, &text).map_err(failed)?;
        self.bytes = text.len() as u64;
        self.condition = Condition::Sound;
        Ok(())
    }
}

/// The file, locked against other processes; created if it does not exist.
fn locked(path: &Path) -> Result<File, JournalError> {
    let failed = |source| JournalError::Io { path: path.to_owned(), source };
    for _ in 0..ATTEMPTS {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Locked(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        if is_at(&file, path).map_err(failed)? {
            return Ok(file);
        }
    }
    Err(JournalError::Locked(path.to_owned()))
}

/// Whether the file is still the one at its path, and was not replaced.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A new file at the path, locked, with this text. The old one stays if anything fails.
fn replaced(path: &Path, text: &[u8]) -> io::Result<File> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    let written = write_new(&temporary, text).and_then(|file| {
        fs::rename(&temporary, path)?;
        Ok(file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, text: &[u8]) -> io::Result<File> {
    // The leftover of a process that ended here. No other process writes it while this one holds the lock.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
    file.try_lock().map_err(io::Error::from)?;
    file.write_all(text)?;
    file.sync_all()?;
    Ok(file)
}
