//! The page that follows one edit through the sources.

use crate::tree::root;
use std::{collections::BTreeSet, fs, path::Path};

/// Through how many files the page may lead its readers.
const MOST_FILES: usize = 10;

/// What the page names as code.
#[derive(Debug, PartialEq, Eq)]
enum Named<'p> {
    /// A file, by its path from the root of the repository.
    File(&'p str),
    /// A function of the file that was named before it.
    Function(&'p str),
}

/// The files and functions that a page names, in order. Fenced blocks do not count.
fn named(page: &str) -> Vec<Named<'_>> {
    let prose = page.split("```").step_by(2);
    let code = prose.flat_map(|text| text.split('`').skip(1).step_by(2));
    let named = code.filter_map(|code| match code.strip_suffix("()") {
        Some(function) => Some(Named::Function(function)),
        None => Path::new(code).extension().is_some_and(|it| it == "rs").then_some(Named::File(code)),
    });
    named.collect()
}

/// Whether a source defines a function of this name.
fn defines(source: &str, function: &str) -> bool {
    let mut after = source.split("fn ").skip(1);
    after.any(|rest| rest.strip_prefix(function).is_some_and(|rest| rest.starts_with(['(', '<'])))
}

/// What is wrong with what the page names, given the text of each file that exists.
fn faults(page: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let (mut faults, mut source) = (Vec::new(), None);
    for named in named(page) {
        match (named, &source) {
            (Named::File(path), _) => match read(path) {
                Some(text) => source = Some((path, text)),
                None => faults.push(format!("{path} does not exist")),
            },
            (Named::Function(name), Some((path, text))) if !defines(text, name) => {
                faults.push(format!("{path} has no function {name}"));
            }
            (Named::Function(_), Some(_)) => {}
            (Named::Function(name), None) => faults.push(format!("{name}() is named before any file")),
        }
    }
    faults
}

#[test]
fn every_file_and_function_on_the_way_of_one_edit_exists() {
    let page = fs::read_to_string(root().join("docs/one-edit.md")).unwrap();
    let faults = faults(&page, |path| fs::read_to_string(root().join(path)).ok());
    assert!(faults.is_empty(), "{faults:#?}");
    let named = named(&page);
    let files: BTreeSet<_> =
        named.iter().filter(|it| matches!(it, Named::File(_))).map(|it| format!("{it:?}")).collect();
    assert!(files.len() <= MOST_FILES, "{files:#?}");
    let functions = named.iter().filter(|it| matches!(it, Named::Function(_))).count();
    assert!(functions > 20, "only {functions} functions are named");
}

#[test]
fn a_file_or_function_that_is_gone_would_be_found() {
    let page = "`early()` `src/a.rs` `there()` `gone()` `Type` ```\n`fenced()`\n``` `src/b.rs` `generic()`";
    let read =
        |path: &str| (path == "src/a.rs").then(|| "async fn there(&self) {}\nfn generic<T>() {}".into());
    let expected =
        ["early() is named before any file", "src/a.rs has no function gone", "src/b.rs does not exist"];
    assert_eq!(faults(page, read), expected);
}
