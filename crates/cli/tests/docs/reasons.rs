//! Condition reasons, and the page that says what to do about each.

use crate::tree::{files, pages, root};
use std::{collections::BTreeSet, fs, path::Path};

/// Crates in which a word can become the reason of a condition.
const CRATES: [&str; 3] = ["crates/plan/src", "crates/runtime/src", "crates/components/src"];

/// What a file contains that decides on reasons: errors have one each, what prevents a spec has one, and the fold of the
/// status has its own.
const DECIDES: [&str; 3] = ["Classify for ", "pub fn fold(", "PlanError::Prevented {"];

/// Words in those files, quoted and in the shape of a reason, that are something else.
const OTHERS: [&str; 8] =
    ["Failed", "InProgress", "Reconciling", "Secret", "Stalled", "True", "False", "Unknown"];

fn is_reason(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().skip(1).any(|c| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && !OTHERS.contains(&word)
}

/// Every quoted word of the code that has the shape of a reason; tests come last in a file and do not count.
fn reasons() -> BTreeSet<String> {
    let mut reasons = BTreeSet::new();
    for file in CRATES.iter().flat_map(|crate_| files(&root().join(crate_), ".rs")) {
        let source = fs::read_to_string(file).unwrap();
        if !DECIDES.iter().any(|words| source.contains(words)) {
            continue;
        }
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let quoted = code.split('"').skip(1).step_by(2).filter(|word| is_reason(word));
        reasons.extend(quoted.map(ToOwned::to_owned));
    }
    reasons
}

/// The reasons of events about webhooks, which no object has as a condition.
fn reasons_of_webhooks() -> BTreeSet<String> {
    let sources = files(&root().join("crates/webhookserver/src"), ".rs");
    let sources = sources.into_iter().map(|file| fs::read_to_string(file).unwrap());
    let reason = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
    sources.flat_map(|text| text.split("reason: \"").skip(1).map(reason).collect::<Vec<_>>()).collect()
}

#[test]
fn every_reason_has_a_section_that_says_what_to_do() {
    let pages = pages();
    let page = pages.iter().find(|page| page.path == Path::new("docs/troubleshooting.md")).unwrap();
    let mut reasons = reasons();
    reasons.extend(reasons_of_webhooks());
    assert!(reasons.contains("NotMigrated") && reasons.contains("WrongRewritingRules"), "{reasons:?}");
    assert!(reasons.contains("InvalidSpec") && reasons.contains("ChildrenNotReady"), "{reasons:?}");
    let has_section = |reason: &&String| page.anchors.contains(&reason.to_lowercase());
    let missing: Vec<_> = reasons.iter().filter(|reason| !has_section(reason)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
