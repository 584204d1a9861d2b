//! The dependency graph of an object as a picture.

use crate::{
    abbreviation::{abbreviated, cut, shared_beginning},
    layout::{Layout, Measures, Piece, Point, layout},
    store,
};
use std::fmt::Write as _;

const MEASURES: Measures =
    Measures { width: 194, height: 46, gap: 14, lane: 4, drop: 36, margin: 10, columns: COLUMNS[0] };
/// Most boxes of a row. With fewer, objects that do not depend on each other would look like a sequence.
const COLUMNS: [usize; 3] = [3, 4, 5];
/// The width of the drawing in a window of 1280 pixels; `main` in the style sheet has the rest.
const WIDE: i64 = 1174;
/// The height of the drawing that fits in the same window.
const TALL: i64 = 640;
/// Characters of a name that fit in a box.
const NAME: usize = 21;
/// Characters that fit above the name: those of the kind and of the state.
const KIND: usize = 23;

/// A picture.
#[derive(Debug)]
pub(crate) struct Drawing {
    pub(crate) measures: Measures,
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) nodes: Vec<Node>,
    pub(crate) lines: Vec<Line>,
}

/// A box.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) corner: Point,
    /// The position of the part.
    pub(crate) part: usize,
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// The lines that end at a box, as an SVG path.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) path: String,
    /// Whether the object at their end is not ready.
    pub(crate) open: bool,
}

impl Drawing {
    /// The picture of the children of an object.
    pub(crate) fn of(parts: &[store::Node]) -> Self {
        let after: Vec<_> = parts.iter().map(|part| part.after.clone()).collect();
        let layout = fitting(&after);
        let lines = layout.lines.iter().zip(parts).filter(|(pieces, _)| !pieces.is_empty());
        let lines = lines.map(|(pieces, part)| Line { path: path(pieces), open: !part.is_ready() });
        let names: Vec<_> = parts.iter().map(|part| part.key.name.as_str()).collect();
        let beginning = shared_beginning(&names);
        let nodes = layout.boxes.iter().zip(parts).enumerate();
        let mut nodes: Vec<_> =
            nodes.map(|(position, (corner, part))| Node::of(*corner, position, part, beginning)).collect();
        // The keyboard reaches them in the order in which they are read.
        nodes.sort_by_key(|node| (node.corner.y, node.corner.x));
        Self { measures: MEASURES, width: layout.width, height: layout.height, nodes, lines: lines.collect() }
    }
}

impl Node {
    fn of(corner: Point, position: usize, part: &store::Node, beginning: &str) -> Self {
        Self {
            corner,
            part: position,
            kind: cut(&part.key.kind, KIND - part.state.phase.word().len()),
            name: abbreviated(&part.key.name, beginning, NAME),
        }
    }
}

/// The layout that is not too wide, if there is one, then not too tall, then as narrow as can be, for narrow windows.
fn fitting(after: &[Vec<usize>]) -> Layout {
    let layouts = COLUMNS.map(|columns| layout(after, &Measures { columns, ..MEASURES }));
    let [first, others @ ..] = layouts;
    let excess =
        |layout: &Layout| ((layout.width - WIDE).max(0), (layout.height - TALL).max(0), layout.width);
    others.into_iter().fold(first, |best, other| if excess(&other) < excess(&best) { other } else { best })
}

/// Curves that leave and arrive straight, and an arrow where they end.
fn path(pieces: &[Piece]) -> String {
    let mut path = String::new();
    let end = pieces.iter().map(|piece| piece.to).max_by_key(|end| end.y);
    for Piece { from, to } in pieces {
        let middle = from.y.midpoint(to.y);
        // Writing to a string cannot fail.
        let _ = if from.x == to.x {
            write!(path, "M{} {}V{}", from.x, from.y, to.y)
        } else {
            write!(path, "M{} {}C{} {middle} {} {middle} {} {}", from.x, from.y, from.x, to.x, to.x, to.y)
        };
    }
    if let Some(Point { x, y }) = end {
        let _ = write!(path, "M{} {}L{x} {}L{} {}", x - 4, y - 6, y - 1, x + 4, y - 6);
    }
    path
}
