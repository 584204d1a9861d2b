//! The table of crates on the architecture page, and what the crates really use.

use crate::tree::root;
use std::fs;

/// The heading of the table.
const HEADING: &str = "| crate | is | may not |";

/// The crates in the table: the first cell of each row.
fn listed(page: &str) -> Vec<&str> {
    let rows = page.lines().skip_while(|line| *line != HEADING).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| Some(row.strip_prefix("| `")?.split_once("` |")?.0)).collect()
}

/// The names in the section `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let after = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = after.take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty())
}

/// Every crate that uses one that the table does not show below it, and every crate that the table shows twice or not.
fn faults(listed: &[&str], crates: &[(String, String)]) -> Vec<String> {
    let place = |name: &str| listed.iter().position(|it| *it == name);
    let known = |name: &&str| crates.iter().any(|(other, _)| other == *name);
    let mut faults = Vec::new();
    for (name, manifest) in crates {
        if listed.iter().filter(|it| *it == name).count() != 1 {
            faults.push(format!("{name} must be in the table exactly once"));
        }
        let above = dependencies(manifest).filter(known).filter(|used| place(used) <= place(name));
        faults.extend(above.map(|used| format!("{name} uses {used}, which the table must show below it")));
    }
    faults
}

#[test]
fn a_crate_uses_only_crates_that_the_table_shows_below_it() {
    let folder = root().join("crates");
    let crates = fs::read_dir(&folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        (entry.file_name().into_string().unwrap(), manifest)
    });
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    assert_eq!(faults(&listed(&page), &crates.collect::<Vec<_>>()), [""; 0]);
}

#[test]
fn a_crate_above_and_a_crate_that_is_missing_are_noticed() {
    let crates = [("top", "[dependencies]\nlow.workspace = true\n"), ("low", ""), ("new", "")];
    let crates = crates.map(|(name, manifest)| (name.to_owned(), manifest.to_owned()));
    let page = format!(
        "| `new` | a command |\n\n{HEADING}\n|---|---|---|\n| `low` | x |\n| `top` | z |\n\n| `top` | a command |\n"
    );
    assert_eq!(
        faults(&listed(&page), &crates),
        ["top uses low, which the table must show below it", "new must be in the table exactly once"]
    );
}
