//! The lines of a diff that are shown: the changed lines, the path to them, and a few lines of context.

/// How many lines of context are shown around a changed line.
const CONTEXT: usize = 2;

/// Which of the two states contain a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Both states.
    Both,
    /// Only the state before the change.
    Before,
    /// Only the state after the change.
    After,
}

/// One row of a shown diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A line.
    Line(Side, String),
    /// Lines are left out here.
    Gap,
}

/// Leaves out unchanged lines, except for the parents of changed lines and the context around them.
pub(super) fn folded(lines: Vec<(Side, String)>) -> Vec<Shown> {
    let depths: Vec<_> = lines.iter().map(|(_, line)| depth(line)).collect();
    let mut near = vec![false; lines.len()];
    let mut is_parent = vec![false; lines.len()];
    for changed in (0..lines.len()).filter(|&at| lines[at].0 != Side::Both) {
        let around = changed.saturating_sub(CONTEXT)..lines.len().min(changed + CONTEXT + 1);
        for at in around.filter(|&at| depths[at] <= depths[changed] || lines[at].0 != Side::Both) {
            near[at] = true;
        }
        let mut depth = depths[changed];
        for above in (0..changed).rev().filter(|&above| Some(lines[above].0) != lines[changed].0.opposite()) {
            if depths[above] < depth {
                depth = depths[above];
                is_parent[above] = true;
            }
        }
    }
    let mut shown = Vec::new();
    let (mut left_out, mut after_parent) = (false, true);
    for (at, (side, line)) in lines.into_iter().enumerate() {
        if !near[at] && !is_parent[at] {
            left_out = true;
            continue;
        }
        // Between the parents of a changed line, a gap is obvious and needs no row.
        if left_out && near[at] && !is_parent[at] && !after_parent {
            shown.push(Shown::Gap);
        }
        left_out = false;
        after_parent = is_parent[at];
        shown.push(Shown::Line(side, line));
    }
    shown
}

impl Side {
    /// The other state; `None` for a line of both states.
    fn opposite(self) -> Option<Self> {
        match self {
            Self::Both => None,
            Self::Before => Some(Self::After),
            Self::After => Some(Self::Before),
        }
    }
}

/// How deep a line is nested. The items of a list are deeper than its name, although they have the same indentation.
fn depth(line: &str) -> usize {
    let text = line.trim_start();
    if text.is_empty() {
        return usize::MAX;
    }
    2 * (line.len() - text.len()) + usize::from(text.starts_with("- "))
}
