use super::{Layout, Measures, Piece, Point, edges::reduced, layout};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;

const MEASURES: Measures =
    Measures { width: 100, height: 40, gap: 10, lane: 6, drop: 30, margin: 8, columns: 4 };

/// Graphs whose nodes wait for some of those before them.
fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
    vec(vec(any::<prop::sample::Index>(), 0..4), 0..60).prop_map(|nodes| {
        let after = |(node, before): (usize, Vec<prop::sample::Index>)| {
            before.iter().filter(|_| node > 0).map(|index| index.index(node)).collect()
        };
        nodes.into_iter().enumerate().map(after).collect()
    })
}

/// Whether a piece touches the inside of a box. A piece is drawn within the rectangle its ends span.
fn crosses(piece: &Piece, corner: &Point) -> bool {
    let (left, right) = (piece.from.x.min(piece.to.x), piece.from.x.max(piece.to.x));
    left < corner.x + MEASURES.width
        && right > corner.x
        && piece.from.y < corner.y + MEASURES.height
        && piece.to.y > corner.y
}

fn overlap(one: &Point, other: &Point) -> bool {
    (one.x - other.x).abs() < MEASURES.width && (one.y - other.y).abs() < MEASURES.height
}

/// The nodes from whose boxes lines lead to a node's box, found by following them upwards.
fn sources(picture: &Layout, node: usize) -> BTreeSet<usize> {
    let entry = |corner: &Point| Point { x: corner.x + MEASURES.width / 2, y: corner.y };
    let exit = |corner: &Point| Point { x: corner.x + MEASURES.width / 2, y: corner.y + MEASURES.height };
    let mut ends = vec![entry(&picture.boxes[node])];
    let mut sources = BTreeSet::new();
    while let Some(end) = ends.pop() {
        for piece in picture.lines[node].iter().filter(|piece| piece.to == end) {
            match picture.boxes.iter().position(|corner| exit(corner) == piece.from) {
                Some(source) => drop(sources.insert(source)),
                None => ends.push(piece.from),
            }
        }
    }
    sources
}

fn ancestors(after: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let mut ancestors: Vec<BTreeSet<usize>> = Vec::new();
    for before in after {
        let all = before.iter().flat_map(|&b| ancestors[b].iter().copied().chain([b])).collect();
        ancestors.push(all);
    }
    ancestors
}

proptest! {
    #[test]
    fn no_boxes_overlap_and_all_are_in_the_picture(after in graphs()) {
        let picture = layout(&after, &MEASURES);
        for (index, one) in picture.boxes.iter().enumerate() {
            prop_assert!(one.x >= MEASURES.margin && one.y >= MEASURES.margin);
            prop_assert!(one.x + MEASURES.width + MEASURES.margin <= picture.width);
            prop_assert!(one.y + MEASURES.height + MEASURES.margin <= picture.height);
            prop_assert!(!picture.boxes[index + 1..].iter().any(|other| overlap(one, other)));
        }
    }

    #[test]
    fn every_line_goes_down_and_none_through_a_box(after in graphs()) {
        let picture = layout(&after, &MEASURES);
        for piece in picture.lines.iter().flatten() {
            prop_assert!(piece.from.y < piece.to.y);
            prop_assert!(!picture.boxes.iter().any(|corner| crosses(piece, corner)), "{piece:?}");
        }
    }

    #[test]
    fn the_lines_that_end_at_a_box_come_from_what_it_waits_for(after in graphs()) {
        let picture = layout(&after, &MEASURES);
        for (node, before) in reduced(&after).iter().enumerate() {
            prop_assert_eq!(sources(&picture, node), before.iter().copied().collect());
        }
    }

    #[test]
    fn leaving_out_what_follows_from_others_changes_no_order(after in graphs()) {
        prop_assert_eq!(ancestors(&reduced(&after)), ancestors(&after));
    }

    #[test]
    fn no_picture_is_wider_than_what_is_in_its_widest_row(after in graphs()) {
        let picture = layout(&after, &MEASURES);
        let rows: BTreeSet<_> = picture.boxes.iter().map(|corner| corner.y).collect();
        let extents = rows.iter().map(|top| {
            let boxes = picture.boxes.iter().filter(|corner| corner.y == *top).count();
            let passing = picture.lines.iter().flatten();
            let passing = passing.filter(|piece| piece.from.y == *top && piece.to.y == top + MEASURES.height);
            let lanes = passing.map(|piece| piece.from.x).collect::<BTreeSet<_>>().len();
            let [boxes, lanes] = [boxes, lanes].map(|count| i64::try_from(count).unwrap());
            boxes * MEASURES.width + lanes * MEASURES.lane + (boxes + lanes - 1) * MEASURES.gap
        });
        let widest = extents.max().unwrap_or_default();
        prop_assert!(picture.width <= widest + 2 * MEASURES.margin, "{} > {widest}", picture.width);
    }

    #[test]
    fn no_row_holds_more_boxes_than_columns(after in graphs()) {
        let picture = layout(&after, &MEASURES);
        for corner in &picture.boxes {
            let row = picture.boxes.iter().filter(|other| other.y == corner.y);
            prop_assert!(row.count() <= MEASURES.columns);
        }
    }
}

#[test]
fn a_picture_is_no_wider_than_its_widest_row() {
    // Pulled to one side by row after row, the last would stand far to the left.
    let after: Vec<Vec<usize>> =
        (0..40_usize).map(|node| if node < 4 { vec![] } else { vec![node - 4] }).collect();
    assert_eq!(layout(&after, &MEASURES).width, 4 * MEASURES.width + 3 * MEASURES.gap + 2 * MEASURES.margin);
}

#[test]
fn nothing_is_drawn_as_nothing() {
    let picture = layout(&[], &MEASURES);
    assert_eq!(picture, Layout { width: 16, height: 16, boxes: vec![], lines: vec![] });
}

#[test]
fn what_follows_stands_straight_below() {
    let picture = layout(&[vec![], vec![0]], &MEASURES);
    let expected = Layout {
        width: 116,
        height: 126,
        boxes: vec![Point { x: 8, y: 8 }, Point { x: 8, y: 78 }],
        lines: vec![vec![], vec![Piece { from: Point { x: 58, y: 48 }, to: Point { x: 58, y: 78 } }]],
    };
    assert_eq!(picture, expected);
}

#[test]
fn lines_to_the_same_box_share_their_way() {
    // The last waits for the first, two rows further up, and so does one beside it; both pass the row between.
    let after = [vec![], vec![], vec![0], vec![2], vec![3, 1]];
    let picture = layout(&after, &MEASURES);
    assert_eq!(sources(&picture, 4), [1, 3].into());
    let lanes =
        picture.lines[4].iter().filter(|piece| piece.from.x == piece.to.x && piece.to.y - piece.from.y == 40);
    assert_eq!(lanes.count(), 2, "one lane through each row between");
}
