//! What `--apply` names: files, directories, standard input.

use crate::{
    error::{Error, Failure},
    input, inputs_dir,
    object::Object,
};
use std::path::{Path, PathBuf};

/// Every object of every file, in the order in which they are given; all mistakes at once.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Object>, Failure> {
    let mut objects = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        let files = files(path).map_err(|error| errors.push(error)).unwrap_or_default();
        for document in files.iter().map(|file| input::read(file)) {
            let documents = document.map_err(|error| errors.push(error)).unwrap_or_default();
            for document in documents {
                match Object::all(document) {
                    Ok(all) => objects.extend(all),
                    Err(error) => errors.push(error),
                }
            }
        }
    }
    Failure::unless_empty(errors).map(|()| objects)
}

/// The file itself, or the manifests in a directory, as kubectl takes them: ordered by name and without those below.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let files = inputs_dir::files(path).map_err(|error| {
        Error::input(path.display(), format!("cannot be listed ({})", error.kind()), "check its permissions")
    })?;
    if files.is_empty() {
        let remedy = "give a directory with .yaml, .yml or .json files, or the files themselves";
        return Err(Error::input(path.display(), "holds no manifests", remedy));
    }
    Ok(files)
}
