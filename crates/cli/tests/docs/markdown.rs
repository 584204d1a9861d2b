//! As much of Markdown as our pages use: headings, links, and fenced blocks.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// A page.
pub struct Page {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// The anchors of its sections.
    pub anchors: BTreeSet<String>,
    /// The targets of its links.
    pub links: Vec<String>,
    /// Its fenced blocks.
    pub blocks: Vec<Block>,
}

/// A fenced block.
pub struct Block {
    /// Its language: `yaml`, `sh`, `console`.
    pub language: String,
    /// The number of its first line.
    pub line: usize,
    /// Its content.
    pub text: String,
}

impl Page {
    /// What a text consists of.
    pub fn new(path: PathBuf, text: &str) -> Self {
        let mut page = Self { path, anchors: BTreeSet::new(), links: Vec::new(), blocks: Vec::new() };
        let mut block: Option<Block> = None;
        for (number, line) in text.lines().enumerate() {
            let fence = line.trim_start().strip_prefix("```");
            match (fence, &mut block) {
                (Some(_), Some(_)) => page.blocks.extend(block.take()),
                (Some(language), None) => {
                    block =
                        Some(Block { language: language.to_owned(), line: number + 2, text: String::new() });
                }
                (None, Some(block)) => {
                    block.text += line;
                    block.text += "\n";
                }
                (None, None) => page.line(line),
            }
        }
        assert!(block.is_none(), "{}: a fence is never closed", page.path.display());
        page
    }

    fn line(&mut self, line: &str) {
        if line.starts_with('#') {
            let slug = slug(line.trim_start_matches('#').trim());
            let again = (1..).map(|n| format!("{slug}-{n}"));
            let free = std::iter::once(slug.clone()).chain(again).find(|slug| !self.anchors.contains(slug));
            self.anchors.extend(free);
        }
        self.links.extend(links(line));
    }

    /// The target of a link of this page: a path from the root of the repository, and a section there.
    pub fn target<'l>(&self, link: &'l str) -> (PathBuf, Option<&'l str>) {
        let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
        let here = self.path.parent().unwrap_or(Path::new(""));
        let path = if path.is_empty() { self.path.clone() } else { crate::tree::plain(&here.join(path)) };
        (path, anchor)
    }
}

/// The anchor that GitHub and mdBook give to a section.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The targets of `[text](target)`, where the line does not show it as code.
fn links(line: &str) -> Vec<String> {
    let is_prose = |(index, piece): (usize, &str)| (index % 2 == 0).then_some(piece.to_owned());
    // What a code span held may be the text of a link; the brackets around it are prose.
    let prose = line.split('`').enumerate().filter_map(is_prose).collect::<Vec<_>>().join("`");
    let after_text = prose.split("](").skip(1);
    after_text.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

#[test]
fn a_page_is_read_as_github_reads_it() {
    let text = "# One `two`: three\n\n[a](b.md#c) and `[no](link)`, [`code`](d)\n\n```yaml\n# no heading\n```\n## One two three\n";
    let page = Page::new("docs/page.md".into(), text);
    assert_eq!(page.anchors, BTreeSet::from(["one-two-three".to_owned(), "one-two-three-1".to_owned()]));
    assert_eq!(page.links, ["b.md#c", "d"]);
    let blocks: Vec<_> = page.blocks.iter().map(|b| (b.language.as_str(), b.line, b.text.as_str())).collect();
    assert_eq!(blocks, [("yaml", 6, "# no heading\n")]);
    assert_eq!(page.target("../README.md#x"), ("README.md".into(), Some("x")));
    assert_eq!(page.target("#x"), ("docs/page.md".into(), Some("x")));
}
