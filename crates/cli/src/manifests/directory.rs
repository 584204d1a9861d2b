//! The directory that `--inputs` names.

use super::document::{Document, read_file};
use crate::output::Error;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// All documents of all `.yaml`, `.yml` and `.json` files in a directory, ordered by file name.
pub fn read_directory(directory: &Path) -> Result<Vec<Document>, Error> {
    let unreadable = |error: io::Error| {
        let remedy = "give --inputs a directory with files of Secrets and ConfigMaps";
        Error::input(directory.display(), format!("cannot be listed ({})", error.kind()), remedy)
    };
    let mut documents = Vec::new();
    for file in manifest_files(directory).map_err(unreadable)? {
        documents.extend(read_file(&file)?);
    }
    Ok(documents)
}

/// The `.yaml`, `.yml` and `.json` files in a directory, ordered by name.
pub fn manifest_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| is_manifest(file));
    files.sort();
    Ok(files)
}

fn is_manifest(file: &Path) -> bool {
    let named = |wanted| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    ["yaml", "yml", "json"].into_iter().any(named) && file.is_file()
}
