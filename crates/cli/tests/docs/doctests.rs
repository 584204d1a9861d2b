//! Which crates have examples in their documentation. rustdoc reads a whole crate to find them, so `cargo test` skips the others.

use crate::tree::{files, root};
use std::fs;

/// The first words of code blocks that rustdoc takes for examples.
const LANGUAGES: [&str; 5] = ["", "rust", "no_run", "should_panic", "compile_fail"];

/// Whether the documentation in a source has an example.
fn has_example(source: &str) -> bool {
    let documentation = source.lines().map(str::trim_start);
    let mut lines = documentation.filter_map(|it| it.strip_prefix("///").or_else(|| it.strip_prefix("//!")));
    let mut is_open = false;
    lines.any(|line| {
        let Some(language) = line.trim().strip_prefix("```") else { return false };
        is_open = !is_open;
        is_open && language.split(',').next().is_some_and(|first| LANGUAGES.contains(&first))
    })
}

#[test]
fn exactly_the_crates_with_examples_run_them() {
    let mut faults = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("src/lib.rs").exists() {
            continue;
        }
        let sources = files(&folder.join("src"), ".rs");
        let has_examples = sources.iter().any(|path| has_example(&fs::read_to_string(path).unwrap()));
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let runs_them = !manifest.contains("doctest = false");
        if has_examples != runs_them {
            faults
                .push(format!("{}: has examples: {has_examples}, runs them: {runs_them}", folder.display()));
        }
    }
    assert_eq!(faults, [""; 0]);
}

#[test]
fn a_block_of_text_is_no_example() {
    assert!(has_example("/// ```\n/// let a = 1;\n/// ```\n"));
    assert!(has_example("    //! ```compile_fail,E0277\n"));
    assert!(!has_example("//! ```text\n//! a\n//! ```\n"));
    assert!(!has_example("// ```\n"));
}
