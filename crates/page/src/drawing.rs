//! The dependency graph of an object as the shapes of a picture.

use crate::{
    board::{Part, Sight},
    layout::{Measures, Piece, Point, layout},
    state::State,
};
use std::fmt::Write as _;

const MEASURES: Measures =
    Measures { width: 208, height: 46, gap: 14, lane: 4, drop: 36, margin: 10, columns: 5 };
/// With more parts than this, rows have a box less: there are more lines that need the room.
const MANY: usize = 30;
/// Letters of a name for which a box has room.
const NAME: usize = 21;
/// Letters for which a box has room above that: those of the kind and of the state.
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
    /// Whether what they lead to still waits.
    pub(crate) open: bool,
}

impl Drawing {
    /// The picture of what an object is made of.
    pub(crate) fn of(sight: &Sight) -> Self {
        let mut after = vec![Vec::new(); sight.parts.len()];
        for edge in &sight.edges {
            if let Some(after) = after.get_mut(edge.after) {
                after.push(edge.before);
            }
        }
        let columns = MEASURES.columns - usize::from(after.len() > MANY);
        let layout = layout(&after, &Measures { columns, ..MEASURES });
        let lines = layout.lines.iter().zip(&sight.parts).filter(|(pieces, _)| !pieces.is_empty());
        let lines = lines.map(|(pieces, part)| Line { path: path(pieces), open: part.state != State::Ready });
        let nodes = layout.boxes.iter().zip(&sight.parts).enumerate();
        let mut nodes: Vec<_> =
            nodes.map(|(position, (corner, part))| Node::of(*corner, position, part)).collect();
        // The order in which a keyboard reaches them is that in which eyes do.
        nodes.sort_by_key(|node| (node.corner.y, node.corner.x));
        Self { measures: MEASURES, width: layout.width, height: layout.height, nodes, lines: lines.collect() }
    }
}

impl Node {
    fn of(corner: Point, position: usize, part: &Part) -> Self {
        Self {
            corner,
            part: position,
            kind: cut(&part.address.kind, KIND - part.state.word().len()),
            name: shortened(&part.address.name, NAME),
        }
    }
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

/// The text, or its beginning.
fn cut(text: &str, room: usize) -> String {
    match text.char_indices().nth(room) {
        Some(_) => text.chars().take(room - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The text, or its beginning and end: names differ at their ends.
fn shortened(text: &str, room: usize) -> String {
    let count = text.chars().count();
    if count <= room {
        return text.to_owned();
    }
    let (head, tail) = (room / 2, room - room / 2 - 1);
    text.chars().take(head).chain(['…']).chain(text.chars().skip(count - tail)).collect()
}

#[cfg(test)]
mod tests {
    use super::{cut, shortened};

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("harbor-core", 11), "harbor-core");
        assert_eq!(shortened("harbor-registry-controller-tls", 15), "harbor-…ler-tls");
        assert_eq!(shortened("äöüäöüäöü", 5), "äö…öü");
    }

    #[test]
    fn a_long_kind_keeps_its_beginning() {
        assert_eq!(cut("Secret", 6), "Secret");
        assert_eq!(cut("PersistentVolumeClaim", 10), "Persisten…");
    }
}
