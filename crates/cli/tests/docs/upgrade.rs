//! The page about upgrades shows what `plan` prints.

use crate::tree::{pages, root};
use std::{fs, path::Path};

#[test]
fn the_page_shows_what_plan_prints_about_an_upgrade_from_2_9_to_2_15() {
    // `tests/cluster/plan.rs` compares it with what the program prints.
    let printed = fs::read_to_string(root().join("crates/cli/tests/fixtures/upgrade-plan.txt")).unwrap();
    let pages = pages();
    let page = pages.iter().find(|page| page.path == Path::new("docs/upgrade.md")).unwrap();
    let shown = page.blocks.iter().any(|block| block.text.trim() == printed.trim());
    assert!(shown, "copy crates/cli/tests/fixtures/upgrade-plan.txt to docs/upgrade.md");
}
