//! The files in `deploy/`: manifests for kubectl, and a chart, which the real Helm renders and checks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod chart;
mod chart_package;
mod helm;
mod manifests;
mod olm;
mod overlays;

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The root of the repository.
fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

/// The documents of a YAML text.
fn documents(text: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

/// The files that `kubectl apply -f deploy/` applies, in its order.
fn files() -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(deploy()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml" || extension == "json"));
    files.sort();
    files
}

/// The objects in them.
fn manifests() -> Vec<Value> {
    files().iter().flat_map(|file| documents(&fs::read_to_string(file).unwrap())).collect()
}

/// The object of a kind, of which there is but one.
fn only<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    let found: Vec<_> = objects.iter().filter(|object| object["kind"] == kind).collect();
    let [object] = found[..] else { panic!("{} objects of kind {kind}", found.len()) };
    object
}
