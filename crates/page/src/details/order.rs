//! What the operator creates before an object, and what after it.

use super::Known;
use crate::{html::Link, store::Node};
use askama::Template;
use progress::Phase;

/// The section.
#[derive(Template)]
#[template(path = "order.html")]
pub(super) struct Order {
    before: Vec<Sibling>,
    after: Vec<Sibling>,
}

struct Sibling {
    link: Link,
    state: Phase,
}

impl Order {
    /// Nothing if the object neither waits for a sibling nor a sibling for it.
    pub(super) fn of(known: &Known<'_>) -> Option<Self> {
        let found = &known.selection.found;
        let siblings = |nodes: Vec<&Node>| -> Vec<_> {
            nodes.iter().map(|node| Sibling { link: Link::of(&node.key), state: node.state.phase }).collect()
        };
        let order = Self { before: siblings(found.before()), after: siblings(found.after()) };
        (!order.before.is_empty() || !order.after.is_empty()).then_some(order)
    }
}
