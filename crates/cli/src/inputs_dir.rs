//! The directory that `--inputs` names.

use crate::{
    error::Error,
    input::{self, Document},
};
use std::{fs, path::Path};

/// Every document of every `.yaml`, `.yml` and `.json` file in a directory, ordered by file name.
pub fn read(directory: &Path) -> Result<Vec<Document>, Error> {
    let unreadable = |error: std::io::Error| {
        let remedy = "--inputs names a directory with files that hold Secrets and ConfigMaps";
        Error::input(directory.display(), format!("cannot be listed ({})", error.kind()), remedy)
    };
    let mut files = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .map_err(unreadable)?;
    files.retain(|file| is_manifest(file));
    files.sort();
    let mut documents = Vec::new();
    for file in files {
        documents.extend(input::read(&file)?);
    }
    Ok(documents)
}

fn is_manifest(file: &Path) -> bool {
    let named = |wanted| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    ["yaml", "yml", "json"].into_iter().any(named) && file.is_file()
}
