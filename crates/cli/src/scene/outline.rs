//! The rows of a scene: what comes first is above, what waits for it is indented.

use super::{Child, Condition, Mark, Root, Scene};
use plan::ObjectKey;
use runtime::Tally;
use std::time::Duration;

/// Deeper than any graph; a bound for what was not foreseen.
const DEEPEST: usize = 64;

/// One row.
#[derive(Debug)]
pub struct Row<'a> {
    /// The branches of the tree that lead to it.
    pub branches: String,
    /// Which object.
    pub key: &'a ObjectKey,
    /// Whether it stands at the left edge.
    pub top: bool,
    /// What there is to say.
    pub content: Content<'a>,
}

/// What a row says of its object.
#[derive(Debug)]
pub enum Content<'a> {
    /// Where it is.
    Here {
        /// Its condition, and since when.
        at: &'a Mark,
        /// When work on it began.
        began: Duration,
        /// How many of its children are ready, if it has any.
        children: Option<Tally>,
    },
    /// That it is told further below, when everything it waits for has been.
    SeeBelow,
}

/// All rows of a scene. Whatever is a child of something else is shown as that.
pub fn rows(scene: &Scene) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for root in scene.tops() {
        rows.push(Row {
            branches: String::new(),
            key: &root.key,
            top: true,
            content: scene.here(root, &root.at),
        });
        Walk { scene, rows: &mut rows }.below(root, missing(&root.children), "", 0);
    }
    rows
}

/// The rows without what is ready, unless something below it is not. Those at the left edge stay.
pub fn unready(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let mut kept = Vec::new();
    let mut below = 0;
    // Per depth, whether a row follows there that hangs on the same branch.
    let mut follows: Vec<bool> = Vec::new();
    for mut row in rows.into_iter().rev() {
        let depth = row.branches.chars().count() / 4;
        if !(row.top || depth < below || row.is_unready()) {
            continue;
        }
        follows.resize(depth + 1, false);
        row.branches = (1..=depth)
            .map(|at| match (at == depth, follows[at]) {
                (true, true) => "├── ",
                (true, false) => "└── ",
                (false, true) => "│   ",
                (false, false) => "    ",
            })
            .collect();
        follows[depth] = true;
        below = depth;
        kept.push(row);
    }
    kept.reverse();
    kept
}

impl Row<'_> {
    fn is_unready(&self) -> bool {
        matches!(self.content, Content::Here { at, .. } if at.condition != Condition::Ready)
    }
}

struct Walk<'a, 'r> {
    scene: &'a Scene,
    rows: &'r mut Vec<Row<'a>>,
}

impl<'a> Walk<'a, '_> {
    /// The children of a root, each below the last of those it waits for.
    fn below(&mut self, root: &'a Root, mut missing: Vec<usize>, indent: &str, depth: usize) {
        let tops: Vec<_> = positions(root, |child| child.after.is_empty()).collect();
        for (nth, &position) in tops.iter().enumerate() {
            self.branch(root, &mut missing, position, indent, nth + 1 == tops.len(), depth);
        }
    }

    fn branch(
        &mut self,
        root: &'a Root,
        missing: &mut [usize],
        position: usize,
        indent: &str,
        last: bool,
        depth: usize,
    ) {
        let child = &root.children[position];
        let (branch, below) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let branches = format!("{indent}{branch}");
        missing[position] = missing[position].saturating_sub(1);
        let row = |content| Row { branches, key: &child.key, top: false, content };
        if missing[position] > 0 || depth >= DEEPEST {
            return self.rows.push(row(Content::SeeBelow));
        }
        let (as_root, at) = (self.scene.as_root(child), self.scene.mark(child));
        let here = Content::Here { at, began: root.since, children: None };
        self.rows.push(row(as_root.map_or(here, |root| self.scene.here(root, at))));
        let indent = format!("{indent}{below}");
        let dependents: Vec<_> = positions(root, |other| other.after.contains(&position)).collect();
        if let Some(inner) = as_root {
            // Drawn as if something followed, so that its branches are not taken for what waits for it.
            let indent = if dependents.is_empty() { indent.clone() } else { format!("{indent}│   ") };
            self.below(inner, self::missing(&inner.children), &indent, depth + 1);
        }
        for (nth, &dependent) in dependents.iter().enumerate() {
            self.branch(root, missing, dependent, &indent, nth + 1 == dependents.len(), depth + 1);
        }
    }
}

fn positions(root: &Root, wanted: impl Fn(&Child) -> bool) -> impl Iterator<Item = usize> {
    root.children.iter().enumerate().filter(move |(_, child)| wanted(child)).map(|(position, _)| position)
}

/// Per child, how often it is going to be met: once below each that it waits for.
fn missing(children: &[Child]) -> Vec<usize> {
    children.iter().map(|child| child.after.len()).collect()
}

impl Scene {
    fn here<'a>(&self, root: &Root, at: &'a Mark) -> Content<'a> {
        let children = (!root.children.is_empty()).then(|| self.tally(root));
        Content::Here { at, began: root.since, children }
    }
}
