//! Which row each node is in.

use super::{Cell, Rows};
use std::{cmp::Reverse, collections::BTreeSet};

impl Rows {
    /// Rows of at most so many boxes, each below all it waits for.
    pub(super) fn of(after: &[Vec<usize>], columns: usize) -> Self {
        let row = rows(after, columns.max(1));
        let count = row.iter().max().map_or(0, |last| last + 1);
        let mut rows =
            Self { rows: vec![Vec::new(); count], links: vec![Vec::new(); count.saturating_sub(1)] };
        for (node, row) in row.iter().enumerate() {
            rows.rows[*row].push(Cell::Box(node));
        }
        for (node, before) in after.iter().enumerate() {
            rows.connect(node, before, &row);
        }
        rows
    }

    /// Lines to `node`, on a common lane through the rows between.
    fn connect(&mut self, node: usize, before: &[usize], row: &[usize]) {
        let Some(first) = before.iter().map(|&before| row[before]).min() else { return };
        let entry = |at: usize| if at == row[node] { Cell::Box(node) } else { Cell::Lane(node) };
        for passed in first + 1..row[node] {
            self.rows[passed].push(Cell::Lane(node));
            self.links[passed].push((Cell::Lane(node), entry(passed + 1)));
        }
        for &before in before {
            self.links[row[before]].push((Cell::Box(before), entry(row[before] + 1)));
        }
    }
}

/// Fills row after row with what can be there, first what most others wait for one after the other.
fn rows(after: &[Vec<usize>], columns: usize) -> Vec<usize> {
    let mut depth = vec![0_usize; after.len()];
    for (node, before) in after.iter().enumerate().rev() {
        for &before in before {
            depth[before] = depth[before].max(depth[node] + 1);
        }
    }
    let mut row: Vec<Option<usize>> = vec![None; after.len()];
    let mut waiting: BTreeSet<_> = (0..after.len())
        // Last comes what has to do with no other.
        .map(|node| (Reverse(depth[node]), after[node].is_empty() && depth[node] == 0, node))
        .collect();
    let mut current = 0;
    while !waiting.is_empty() {
        let possible =
            |node: usize| after[node].iter().all(|&before| row[before].is_some_and(|r| r < current));
        let chosen: Vec<_> =
            waiting.iter().filter(|(_, _, node)| possible(*node)).take(columns).copied().collect();
        for entry in chosen {
            row[entry.2] = Some(current);
            waiting.remove(&entry);
        }
        current += 1;
    }
    row.into_iter().map(Option::unwrap_or_default).collect()
}
