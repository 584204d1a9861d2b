//! The size of the binary, and of the source of crate `runtime`.

use crate::operator;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Prints both.
pub fn print() {
    let bytes = fs::metadata(operator::program()).unwrap().len();
    println!("binary: {}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000);
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src");
    let lines: usize =
        sources(&runtime).iter().map(|file| fs::read_to_string(file).unwrap().lines().count()).sum();
    println!("crates/runtime/src: {lines} lines, unit tests and comments included\n");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}
