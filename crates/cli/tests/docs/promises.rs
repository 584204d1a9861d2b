//! The promises of the page on security, each with the test that holds it.

use crate::tree::{files, root};
use std::{collections::BTreeSet, fs};

/// The names of all functions in the tests of the workspace.
fn functions() -> BTreeSet<String> {
    let sources =
        files(&root().join("crates"), ".rs").into_iter().map(|file| fs::read_to_string(file).unwrap());
    let name = |line: &str| {
        let (_, after) = line.split_once("fn ")?;
        Some(after.split(['(', '<']).next()?.to_owned())
    };
    sources.flat_map(|source| source.lines().filter_map(name).collect::<Vec<_>>()).collect()
}

/// The cells of the tables whose last column is headed `test`, row by row.
fn promises(page: &str) -> Vec<(String, String)> {
    let mut promises = Vec::new();
    let mut in_table = false;
    for line in page.lines() {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match cells.last() {
            Some(&"test") => in_table = true,
            Some(test) if in_table && line.starts_with("| ") => {
                promises.push((cells[0].to_owned(), (*test).to_owned()));
            }
            _ if line.starts_with("|--") => {}
            _ => in_table = false,
        }
    }
    promises
}

#[test]
fn every_promise_of_the_page_on_security_names_a_test_that_exists() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let (promises, functions) = (promises(&page), functions());
    assert!(promises.len() >= 30, "{} promises", promises.len());
    for (promise, tests) in promises {
        let named: Vec<_> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test holds: {promise}");
        for test in named {
            assert!(functions.contains(test), "{test} does not exist, which is to hold: {promise}");
        }
    }
}
