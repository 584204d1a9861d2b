//! The edges worth drawing.

use std::collections::BTreeSet;

/// The same order with as few edges as possible: what follows from others is left out, and so is what no drawing from top
/// to bottom can show, an edge from a node to itself or to one before it.
pub(super) fn reduced(after: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut ancestors: Vec<BTreeSet<usize>> = Vec::with_capacity(after.len());
    let mut reduced = Vec::with_capacity(after.len());
    for (node, before) in after.iter().enumerate() {
        let before: BTreeSet<usize> = before.iter().copied().filter(|&before| before < node).collect();
        let implied: BTreeSet<usize> =
            before.iter().flat_map(|&before| &ancestors[before]).copied().collect();
        reduced.push(before.difference(&implied).copied().collect());
        ancestors.push(before.union(&implied).copied().collect());
    }
    reduced
}
