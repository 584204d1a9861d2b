//! The lines of a change that are worth reading: what changes, where that is, and a little of what surrounds it.

/// How many lines are shown around what changes.
const AROUND: usize = 2;

/// In which of the two states a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In both.
    Both,
    /// Only in the one before.
    Before,
    /// Only in the one after.
    After,
}

/// What is shown of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A line.
    Line(Side, String),
    /// That lines are left out.
    Gap,
}

/// Leaves out what does not change, except for what leads there and what stands beside it.
pub(super) fn folded(lines: Vec<(Side, String)>) -> Vec<Shown> {
    let depths: Vec<_> = lines.iter().map(|(_, line)| depth(line)).collect();
    let mut near = vec![false; lines.len()];
    let mut leads = vec![false; lines.len()];
    for changed in (0..lines.len()).filter(|&at| lines[at].0 != Side::Both) {
        let around = changed.saturating_sub(AROUND)..lines.len().min(changed + AROUND + 1);
        for at in around.filter(|&at| depths[at] <= depths[changed] || lines[at].0 != Side::Both) {
            near[at] = true;
        }
        let mut depth = depths[changed];
        for above in (0..changed).rev().filter(|&above| Some(lines[above].0) != lines[changed].0.opposite()) {
            if depths[above] < depth {
                depth = depths[above];
                leads[above] = true;
            }
        }
    }
    let mut shown = Vec::new();
    let (mut left_out, mut on_the_way) = (false, true);
    for (at, (side, line)) in lines.into_iter().enumerate() {
        if !near[at] && !leads[at] {
            left_out = true;
            continue;
        }
        // That something is left out goes without saying where the way to a change is shown.
        if left_out && near[at] && !leads[at] && !on_the_way {
            shown.push(Shown::Gap);
        }
        left_out = false;
        on_the_way = leads[at];
        shown.push(Shown::Line(side, line));
    }
    shown
}

impl Side {
    /// The other state; of both there is none.
    fn opposite(self) -> Option<Self> {
        match self {
            Self::Both => None,
            Self::Before => Some(Self::After),
            Self::After => Some(Self::Before),
        }
    }
}

/// How deep a line is nested. The items of a list are deeper than its name, although not further to the right.
fn depth(line: &str) -> usize {
    let text = line.trim_start();
    if text.is_empty() {
        return usize::MAX;
    }
    2 * (line.len() - text.len()) + usize::from(text.starts_with("- "))
}
