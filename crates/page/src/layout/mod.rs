//! Where to draw the nodes of a dependency graph and the lines between them.
//!
//! Pure, and the same for the same graph. What comes first is above what waits for it: every line goes down. Rows hold at
//! most a few boxes, so that a graph is as wide as a page and grows downwards. A line that passes a row does so on a lane
//! of its own, so none runs under a box; lines that end at the same box share a lane.

mod edges;
mod order;
mod place;
mod rows;
#[cfg(test)]
mod tests;

use order::ordered;
use place::centres;

/// How large things are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Width of a box.
    pub width: i64,
    /// Height of a box.
    pub height: i64,
    /// Space between boxes of a row.
    pub gap: i64,
    /// Width of a lane on which a line passes a row.
    pub lane: i64,
    /// Space between rows.
    pub drop: i64,
    /// Space around everything.
    pub margin: i64,
    /// Most boxes of a row.
    pub columns: usize,
}

/// A place in the picture; down is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// From the left edge.
    pub x: i64,
    /// From the upper edge.
    pub y: i64,
}

/// A piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// Its upper end.
    pub from: Point,
    /// Its lower end.
    pub to: Point,
}

/// A picture of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its width.
    pub width: i64,
    /// Its height.
    pub height: i64,
    /// The upper left corner of each node's box.
    pub boxes: Vec<Point>,
    /// For each node, the pieces of all lines that end at its box.
    pub lines: Vec<Vec<Piece>>,
}

/// Something that takes space in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// The box of a node.
    Box(usize),
    /// Where the lines to a node pass.
    Lane(usize),
}

/// Cells by row, and which of a row lead to which of the next.
#[derive(Clone, Debug, Default)]
struct Rows {
    rows: Vec<Vec<Cell>>,
    /// For each row but the last: pairs of a cell and one of the next row.
    links: Vec<Vec<(Cell, Cell)>>,
}

/// Draws a graph. `after` has for each node those it waits for, all of them before it; what is not is left out.
pub fn layout(after: &[Vec<usize>], measures: &Measures) -> Layout {
    let after = edges::reduced(after);
    let rows = ordered(Rows::of(&after, measures.columns));
    let centres = centres(&rows, measures);
    let left = rows
        .cells()
        .zip(centres.iter().flatten())
        .map(|(cell, centre)| centre - cell.width(measures) / 2)
        .min();
    let shift = measures.margin - left.unwrap_or_default();
    let mut picture = Layout {
        width: 2 * measures.margin,
        height: 2 * measures.margin,
        boxes: vec![Point { x: 0, y: 0 }; after.len()],
        lines: vec![Vec::new(); after.len()],
    };
    let mut top = measures.margin;
    let mut above: Vec<(Cell, i64)> = Vec::new();
    for (position, (row, centres)) in rows.rows.iter().zip(&centres).enumerate() {
        let here: Vec<_> = row.iter().zip(centres).map(|(cell, centre)| (*cell, centre + shift)).collect();
        for (cell, centre) in &here {
            picture.draw(*cell, Point { x: *centre, y: top }, measures);
        }
        let before = position.checked_sub(1).and_then(|before| rows.links.get(before));
        for (upper, lower) in before.into_iter().flatten() {
            let x = |cells: &[(Cell, i64)], wanted: &Cell| {
                cells.iter().find(|(cell, _)| cell == wanted).map(|(_, x)| *x)
            };
            if let (Some(from), Some(to)) = (x(&above, upper), x(&here, lower)) {
                let (from, to) = (Point { x: from, y: top - measures.drop }, Point { x: to, y: top });
                picture.lines[lower.target()].push(Piece { from, to });
            }
        }
        above = here;
        top += measures.height + measures.drop;
    }
    picture
}

impl Layout {
    fn draw(&mut self, cell: Cell, middle: Point, measures: &Measures) {
        let bottom = Point { x: middle.x, y: middle.y + measures.height };
        let right = middle.x + cell.width(measures) - cell.width(measures) / 2;
        self.width = self.width.max(right + measures.margin);
        self.height = self.height.max(bottom.y + measures.margin);
        match cell {
            Cell::Box(node) => {
                self.boxes[node] = Point { x: middle.x - measures.width / 2, y: middle.y };
            }
            Cell::Lane(target) => self.lines[target].push(Piece { from: middle, to: bottom }),
        }
    }
}

impl Cell {
    fn width(self, measures: &Measures) -> i64 {
        match self {
            Self::Box(_) => measures.width,
            Self::Lane(_) => measures.lane,
        }
    }

    /// The node that lines to this cell are on their way to.
    fn target(self) -> usize {
        match self {
            Self::Box(node) | Self::Lane(node) => node,
        }
    }
}

impl Rows {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flatten()
    }

    /// The cells of the row above that lead to a cell.
    fn above(&self, row: usize, cell: Cell) -> impl Iterator<Item = Cell> {
        let links = row.checked_sub(1).and_then(|above| self.links.get(above));
        links.into_iter().flatten().filter(move |(_, lower)| *lower == cell).map(|(upper, _)| *upper)
    }

    /// The cells of the row below that a cell leads to.
    fn below(&self, row: usize, cell: Cell) -> impl Iterator<Item = Cell> {
        let links = self.links.get(row).into_iter().flatten();
        links.filter(move |(upper, _)| *upper == cell).map(|(_, lower)| *lower)
    }
}
