//! The rows of a drawing: an object is indented below the last of those it waits for.

use super::Node;

/// Deeper than any graph; an end for one that is not as expected.
const DEEPEST: usize = 64;

/// One row.
#[derive(Debug)]
pub struct Row<'a> {
    /// The branches that lead to it.
    pub branches: String,
    /// The object.
    pub node: &'a Node,
    /// Whether it is at the left edge.
    pub top: bool,
    /// Whether its state is in a row further below, after the last object that it waits for.
    pub see_below: bool,
}

/// The rows of all objects.
pub fn rows(roots: &[Node]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for node in roots {
        rows.push(Row { branches: String::new(), node, top: true, see_below: false });
        below(&mut rows, &node.children, "", 0);
    }
    rows
}

/// The rows of objects that are not ready, or have a row below them that is not. Those at the left edge stay.
pub fn unready(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let mut kept = Vec::new();
    let mut below = 0;
    // Per depth, whether another row follows on the same branch.
    let mut follows: Vec<bool> = Vec::new();
    for mut row in rows.into_iter().rev() {
        let depth = row.branches.chars().count() / 4;
        let is_ready = row.see_below || row.node.is_ready();
        if is_ready && depth >= below && !row.top {
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

/// The rows of siblings.
fn below<'a>(rows: &mut Vec<Row<'a>>, siblings: &'a [Node], indent: &str, depth: usize) {
    // Per sibling, how often it is still met: once below each that it waits for.
    let missing = siblings.iter().map(|node| node.after.len()).collect();
    let first = positions(siblings, |node| node.after.is_empty());
    Branches { rows, siblings, missing }.add(&first, indent, depth);
}

struct Branches<'a, 'r> {
    rows: &'r mut Vec<Row<'a>>,
    siblings: &'a [Node],
    missing: Vec<usize>,
}

impl Branches<'_, '_> {
    /// The rows of some of the siblings, and of those that wait for them.
    fn add(&mut self, some: &[usize], indent: &str, depth: usize) {
        for (nth, &position) in some.iter().enumerate() {
            let (branch, continued) =
                if nth + 1 == some.len() { ("└── ", "    ") } else { ("├── ", "│   ") };
            let node = &self.siblings[position];
            self.missing[position] = self.missing[position].saturating_sub(1);
            let see_below = self.missing[position] > 0 || depth >= DEEPEST;
            self.rows.push(Row { branches: format!("{indent}{branch}"), node, top: false, see_below });
            if see_below {
                continue;
            }
            let indent = format!("{indent}{continued}");
            let dependents = positions(self.siblings, |other| other.after.contains(&position));
            // Drawn as if something followed, or its children would be taken for objects that wait for it.
            let inner = if dependents.is_empty() { indent.clone() } else { format!("{indent}│   ") };
            below(self.rows, &node.children, &inner, depth + 1);
            self.add(&dependents, &indent, depth + 1);
        }
    }
}

fn positions(nodes: &[Node], wanted: impl Fn(&Node) -> bool) -> Vec<usize> {
    nodes.iter().enumerate().filter(|(_, node)| wanted(node)).map(|(position, _)| position).collect()
}
