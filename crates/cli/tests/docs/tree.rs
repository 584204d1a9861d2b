//! The files of the repository.

use crate::markdown::Page;
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Folders with built or fetched files.
const NOT_OURS: [&str; 3] = ["target", "node_modules", ".git"];

/// Every file below a directory whose name ends like this.
pub fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            found.extend(files(&path, ending));
        } else if path.is_file() && name.ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Every page of the repository, those of the book and the others.
pub fn pages() -> Vec<Page> {
    let root = root();
    let page = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        Page::new(path.strip_prefix(&root).unwrap().to_owned(), &text)
    };
    files(&root, ".md").into_iter().map(page).collect()
}

/// A path without its `.` and `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                assert!(plain.pop(), "{} leads out of the repository", path.display());
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
