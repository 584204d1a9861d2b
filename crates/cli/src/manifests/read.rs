//! Reads objects from files, directories and standard input.

use super::{directory::manifest_files, document::read_file, object::Object};
use crate::{
    operator::{GROUP, component},
    output::{Error, Failure, warn},
};
use std::path::{Path, PathBuf};

/// All objects of all files, in the given order. Reports all errors at once.
pub fn read_objects(paths: &[PathBuf]) -> Result<Vec<Object>, Failure> {
    let mut objects = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        let files = files(path).map_err(|error| errors.push(error)).unwrap_or_default();
        for document in files.iter().map(|file| read_file(file)) {
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

/// Warns about objects that no component reconciles.
pub fn warn_about_unreconciled(objects: &[Object]) {
    let components = components::all();
    for object in objects
        .iter()
        .filter(|object| object.key.group == GROUP && component(&components, &object.key).is_none())
    {
        let (place, kind) = (object.place(), &object.key.kind);
        let problem = format_args!("this version of the operator does not reconcile {kind} objects");
        warn(format_args!("{place}: {problem}; it will not become ready"));
    }
}

/// The file itself, or the manifests in a directory, as kubectl reads them: ordered by name, without subdirectories.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let files = manifest_files(path).map_err(|error| {
        Error::input(path.display(), format!("cannot be listed ({})", error.kind()), "check its permissions")
    })?;
    if files.is_empty() {
        let remedy = "give a directory with .yaml, .yml or .json files, or the files themselves";
        return Err(Error::input(path.display(), "contains no manifests", remedy));
    }
    Ok(files)
}
