//! The pages about upgrades and rotations show what `plan` prints.

use crate::tree::{pages, root};
use std::{fs, path::Path};

#[test]
fn a_page_shows_what_plan_prints_about_an_upgrade_from_2_9_to_2_15() {
    assert_shown("upgrade-plan.txt", "docs/upgrade.md");
}

#[test]
fn a_page_shows_what_plan_prints_about_the_rotation_of_all_credentials() {
    assert_shown("rotation-plan.txt", "docs/rotation.md");
}

/// `tests/cluster/plan.rs` compares the file with what the program prints.
fn assert_shown(file: &str, page: &str) {
    let file = format!("crates/cli/tests/fixtures/{file}");
    let printed = fs::read_to_string(root().join(&file)).unwrap();
    let pages = pages();
    let found = pages.iter().find(|it| it.path == Path::new(page)).unwrap();
    let shown = found.blocks.iter().any(|block| block.text.trim() == printed.trim());
    assert!(shown, "copy {file} to {page}");
}
