//! Where in its row a cell is: near what it is connected with, never closer to the next one than allowed, and never so far
//! to one side that the picture would be wider than its widest row.

use super::{Cell, Measures, Rows};
use std::collections::BTreeMap;

/// How often rows are moved towards their neighbours.
const SWEEPS: usize = 16;
/// How much more it costs to bend a lane than to move a box.
const STRAIGHT: i64 = 8;

/// The centre of each cell, by row.
pub(super) fn centres(rows: &Rows, measures: &Measures) -> Vec<Vec<i64>> {
    let mut centres: Vec<Vec<i64>> = rows.rows.iter().map(|row| packed(row, measures)).collect();
    let reach = rows.rows.iter().map(|row| extent(row, measures)).max().unwrap_or_default();
    for sweep in 0..SWEEPS {
        let count = centres.len();
        let sequence: Vec<usize> =
            if sweep % 2 == 0 { (0..count).collect() } else { (0..count).rev().collect() };
        for row in sequence {
            let wanted = wanted(rows, row, &centres);
            centres[row] = nearest(&rows.rows[row], &wanted, reach, measures);
        }
    }
    centres
}

/// One beside the other around the middle.
fn packed(row: &[Cell], measures: &Measures) -> Vec<i64> {
    let offsets = offsets(row, measures);
    let middle = offsets.last().copied().unwrap_or_default() / 2;
    offsets.into_iter().map(|offset| offset - middle).collect()
}

/// The width of a row whose cells are as close as allowed.
fn extent(row: &[Cell], measures: &Measures) -> i64 {
    let (before, after) = overhang(row, measures);
    before + offsets(row, measures).last().copied().unwrap_or_default() + after
}

/// How far the first and the last cell of a row reach beyond their centres.
fn overhang(row: &[Cell], measures: &Measures) -> (i64, i64) {
    let half = |cell: Option<&Cell>| cell.map_or(0, |cell| (cell.width(measures) + 1) / 2);
    (half(row.first()), half(row.last()))
}

/// The least distance of each cell from the first of its row.
fn offsets(row: &[Cell], measures: &Measures) -> Vec<i64> {
    let mut offset = 0;
    let steps = row.windows(2).map(|pair| {
        offset +=
            (pair[0].width(measures) + pair[1].width(measures) + 1) / 2 + gap(pair[0], pair[1], measures);
        offset
    });
    let mut offsets = vec![0; row.len().min(1)];
    offsets.extend(steps);
    offsets
}

/// The space between neighbours; a line may be closer than a box.
fn gap(one: Cell, other: Cell, measures: &Measures) -> i64 {
    match (one, other) {
        (Cell::Box(_), Cell::Box(_)) => measures.gap,
        (Cell::Lane(_), _) | (_, Cell::Lane(_)) => measures.gap / 2,
    }
}

/// Where each cell would like to be, and how much.
fn wanted(rows: &Rows, row: usize, centres: &[Vec<i64>]) -> Vec<(i64, i64)> {
    let at = |row: usize| -> BTreeMap<Cell, i64> {
        rows.rows
            .get(row)
            .into_iter()
            .flatten()
            .copied()
            .zip(centres.get(row).into_iter().flatten().copied())
            .collect()
    };
    let (above, below) = (row.checked_sub(1).map(at).unwrap_or_default(), at(row + 1));
    let cells = rows.rows[row].iter().zip(&centres[row]);
    cells
        .map(|(cell, own)| {
            let upper = rows.above(row, *cell).filter_map(|cell| above.get(&cell));
            let lower = rows.below(row, *cell).filter_map(|cell| below.get(&cell));
            let (sum, count) = upper.chain(lower).fold((0, 0), |(sum, count), at| (sum + at, count + 1));
            let weight = if matches!(cell, Cell::Lane(_)) { STRAIGHT } else { 1 };
            if count == 0 { (*own, 1) } else { (sum / count, weight) }
        })
        .collect()
}

/// The allowed places with the least sum of weighted squares of distances from the wanted ones: without the offsets this is
/// isotonic regression, which pooling those that are in each other's way solves.
fn nearest(row: &[Cell], wanted: &[(i64, i64)], reach: i64, measures: &Measures) -> Vec<i64> {
    struct Pool {
        sum: i64,
        weight: i64,
        members: usize,
    }
    let offsets = offsets(row, measures);
    let mut pools: Vec<Pool> = Vec::new();
    for ((wanted, weight), offset) in wanted.iter().zip(&offsets) {
        let mut pool = Pool { sum: (wanted - offset) * weight, weight: *weight, members: 1 };
        while let Some(last) = pools.pop_if(|last| last.sum * pool.weight > pool.sum * last.weight) {
            pool.sum += last.sum;
            pool.weight += last.weight;
            pool.members += last.members;
        }
        pools.push(pool);
    }
    // Cutting off what is too far to a side leaves the best of what is not.
    let last = offsets.last().copied().unwrap_or_default();
    let (before, after) = overhang(row, measures);
    let (left, right) = (before - reach / 2, reach / 2 - after - last);
    let places = pools.iter().flat_map(|pool| {
        let place = pool.sum.div_euclid(pool.weight).min(right).max(left);
        std::iter::repeat_n(place, pool.members)
    });
    places.zip(offsets).map(|(place, offset)| place + offset).collect()
}
