//! What differs from the old operator, and the tests that show it.

use crate::tree::{files, root};
use std::fs;

/// Every Rust file of ours, one after the other.
fn sources() -> String {
    let files = files(&root().join("crates"), ".rs");
    files.into_iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Whether this is the name of a test: a sentence of words.
fn is_sentence(name: &str) -> bool {
    name.split('_').count() > 3 && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'))
}

#[test]
fn every_test_that_the_differences_name_exists() {
    let page = fs::read_to_string(root().join("docs/differences.md")).unwrap();
    let named: Vec<_> = page.split('`').skip(1).step_by(2).filter(|name| is_sentence(name)).collect();
    assert!(named.len() > 50, "only {named:?}");
    let sources = sources();
    let missing: Vec<_> = named.iter().filter(|name| !sources.contains(&format!("fn {name}()"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!page.contains("_…`"), "a name that is cut short cannot be looked up");
}

#[test]
fn every_row_of_the_differences_names_a_test() {
    let page = fs::read_to_string(root().join("docs/differences.md")).unwrap();
    let is_row = |line: &&str| line.starts_with("| A") || line.starts_with("| B");
    for row in page.lines().filter(is_row) {
        assert!(row.split('`').any(is_sentence), "{row}");
    }
}
