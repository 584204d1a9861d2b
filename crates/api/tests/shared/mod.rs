//! Files of the Go operator, which live beside the repository where we develop.

#![allow(clippy::unwrap_used, clippy::panic)] // only tests use it

use std::{fs, path::PathBuf};

/// One of their folders, if it is here.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: ../shared is not here");
    None
}

/// The files of a folder, ordered by name.
pub fn files(folder: &PathBuf) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}
