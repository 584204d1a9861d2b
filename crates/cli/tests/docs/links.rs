use crate::tree::{pages, root};
use std::{collections::BTreeMap, path::Path};

fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let anchors: BTreeMap<_, _> = pages.iter().map(|page| (page.path.as_path(), &page.anchors)).collect();
    let mut dead = Vec::new();
    for page in &pages {
        for link in page.links.iter().filter(|link| !is_elsewhere(link)) {
            let (path, anchor) = page.target(link);
            let is_there = root().join(&path).exists();
            let has_section =
                anchor.is_none_or(|a| anchors.get(path.as_path()).is_some_and(|all| all.contains(a)));
            if !is_there || !has_section {
                dead.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn a_page_of_the_book_links_to_nothing_that_is_not_in_it() {
    let book = Path::new("docs");
    let pages = pages();
    let mut outside = Vec::new();
    for page in pages.iter().filter(|page| page.path.starts_with(book)) {
        for link in page.links.iter().filter(|link| !is_elsewhere(link)) {
            if !page.target(link).0.starts_with(book) {
                outside.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(outside.is_empty(), "rendered, these lead nowhere; write the path as code: {outside:#?}");
}
