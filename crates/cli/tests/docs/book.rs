//! The layout mdBook expects: `book.toml`, and a `SUMMARY.md` that is the table of contents.

use crate::tree::{pages, root};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const CONTENTS: &str = "docs/SUMMARY.md";

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let pages = pages();
    let contents = pages.iter().find(|page| page.path == Path::new(CONTENTS)).unwrap();
    let listed: Vec<_> = contents.links.iter().map(|link| contents.target(link).0).collect();
    let once: BTreeSet<_> = listed.iter().cloned().collect();
    assert_eq!(once.len(), listed.len(), "a page is listed twice");
    let in_book = |path: &&PathBuf| path.starts_with("docs") && *path != Path::new(CONTENTS);
    let written: BTreeSet<_> = pages.iter().map(|page| &page.path).filter(in_book).cloned().collect();
    assert_eq!(written, once);
}

#[test]
fn the_book_lies_where_the_pages_are() {
    let settings = fs::read_to_string(root().join("docs/book.toml")).unwrap();
    assert!(settings.contains("src = \".\""), "{settings}");
}
