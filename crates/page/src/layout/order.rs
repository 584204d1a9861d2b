//! The order of cells in their rows: few lines cross.

use super::{Cell, Rows};
use std::collections::BTreeMap;

/// How often rows are sorted by their neighbours; drawings get no better by more.
const SWEEPS: usize = 12;
/// Positions are counted in fractions of a cell.
const FRACTIONS: i64 = 1000;

/// The same rows, each in the best order found.
pub(super) fn ordered(mut rows: Rows) -> Rows {
    let mut best = (crossings(&rows), rows.rows.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let count = rows.rows.len();
        if sweep % 2 == 0 {
            (1..count).for_each(|row| sort(&mut rows, row, row - 1));
        } else {
            (0..count.saturating_sub(1)).rev().for_each(|row| sort(&mut rows, row, row + 1));
        }
        let crossed = crossings(&rows);
        if crossed < best.0 {
            best = (crossed, rows.rows.clone());
        }
    }
    Rows { rows: best.1, links: rows.links }
}

/// Sorts a row by the mean position of each cell's neighbours in another row. Cells without any stay where they are.
fn sort(rows: &mut Rows, row: usize, by: usize) {
    let position = positions(&rows.rows[by]);
    let mut cells: Vec<(i64, Cell)> = (0_i64..)
        .zip(&rows.rows[row])
        .map(|(own, cell)| {
            let neighbours: Vec<_> =
                if by < row { rows.above(row, *cell).collect() } else { rows.below(row, *cell).collect() };
            let known = neighbours.iter().filter_map(|neighbour| position.get(neighbour));
            let (sum, count) = known.fold((0, 0), |(sum, count), at| (sum + at * FRACTIONS, count + 1));
            (if count == 0 { own * FRACTIONS } else { sum / count }, *cell)
        })
        .collect();
    cells.sort_by_key(|(wanted, _)| *wanted);
    rows.rows[row] = cells.into_iter().map(|(_, cell)| cell).collect();
}

fn positions(row: &[Cell]) -> BTreeMap<Cell, i64> {
    row.iter().copied().zip(0_i64..).collect()
}

/// How many pairs of lines cross.
fn crossings(rows: &Rows) -> usize {
    let between = rows.rows.windows(2).zip(&rows.links).map(|(pair, links)| {
        let (upper, lower) = (positions(&pair[0]), positions(&pair[1]));
        let ends: Vec<_> =
            links.iter().filter_map(|(from, to)| Some((*upper.get(from)?, *lower.get(to)?))).collect();
        let cross = |(a, b): &(i64, i64), (c, d): &(i64, i64)| (a < c && b > d) || (a > c && b < d);
        let each = |(index, one)| ends[index + 1..].iter().filter(|other| cross(one, other)).count();
        ends.iter().enumerate().map(each).sum::<usize>()
    });
    between.sum()
}
