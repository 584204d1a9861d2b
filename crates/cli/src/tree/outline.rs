//! The rows of a drawing: an object is indented below its owner. The children of an owner follow each other in the order in
//! which the operator creates them, and a row names what it waits for.

use super::Node;
use progress::Phase;

/// One row.
#[derive(Debug)]
pub struct Row<'a> {
    /// The branches that lead to it.
    pub branches: String,
    /// The object.
    pub node: &'a Node,
    /// Whether it is at the left edge.
    pub top: bool,
    /// The siblings that the operator creates first and that are not ready, if it has not begun with the object.
    pub until: Vec<&'a Node>,
}

/// The rows of all objects.
pub fn rows(roots: &[Node]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for node in roots {
        rows.push(Row { branches: String::new(), node, top: true, until: Vec::new() });
        below(&mut rows, &node.children, "");
    }
    rows
}

/// The rows of siblings, each followed by the rows of its children.
fn below<'a>(rows: &mut Vec<Row<'a>>, siblings: &'a [Node], indent: &str) {
    for (position, node) in siblings.iter().enumerate() {
        let is_last = position + 1 == siblings.len();
        let (branch, continued) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let is_pending = node.state.phase == Phase::Pending;
        let before = node.after.iter().filter(|_| is_pending).filter_map(|&before| siblings.get(before));
        let until = before.filter(|before| !before.is_ready()).collect();
        rows.push(Row { branches: format!("{indent}{branch}"), node, top: false, until });
        below(rows, &node.children, &format!("{indent}{continued}"));
    }
}

/// The rows of objects that are not ready, or have a row below them that is not. Those at the left edge stay.
pub fn unready(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let mut kept = Vec::new();
    let mut below = 0;
    // Per depth, whether another row follows on the same branch.
    let mut follows: Vec<bool> = Vec::new();
    for mut row in rows.into_iter().rev() {
        let depth = row.branches.chars().count() / 4;
        if row.node.is_ready() && depth >= below && !row.top {
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
