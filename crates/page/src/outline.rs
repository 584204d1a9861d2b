//! The objects of an installation as boxes, each to the right of its owner.
//!
//! The place of a box says who owns it. What needs attention comes first, so a failure and its owners are at the top. Siblings
//! that own nothing form a group without an order. What the operator creates before and after the selected object is marked
//! on the boxes.

use crate::{
    filter::Filter,
    html::{Link, Moment, explanation},
    names::{parts, shared_beginning},
    store::{Attention, Node, Seconds},
};
use askama::Template;
use jiff::Timestamp;
use plan::ObjectKey;
use progress::{Found, Phase, Tally};
use std::collections::{BTreeMap, BTreeSet};

/// Most boxes of a group; a filter finds the others.
const LARGEST_GROUP: usize = 200;

/// The boxes that pass a filter, and their owners.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) root: Branch,
    /// How many boxes pass the filter.
    pub(crate) matching: usize,
}

/// An owner and what it owns.
#[derive(Debug, Template)]
#[template(path = "branch.html")]
pub(crate) struct Branch {
    card: Card,
    groups: Vec<Group>,
}

/// What is to the right of an owner, one below the other.
#[derive(Debug)]
enum Group {
    Owner(Branch),
    Leaves(Leaves),
}

/// Siblings that own nothing, or nothing that passes the filter.
#[derive(Debug)]
struct Leaves {
    phase: Phase,
    cards: Vec<Card>,
    left_out: usize,
}

/// The box of an object.
#[derive(Debug, Template)]
#[template(path = "card.html")]
struct Card {
    id: String,
    href: String,
    kind: String,
    /// The beginning of the name that others have, too.
    shared: String,
    /// The rest of the name.
    own: String,
    state: Phase,
    /// Since when it is in this state, if others wait for it.
    since: Option<Moment>,
    /// The phase that needs most attention, of the object and of everything below it.
    worst: Phase,
    why: Option<String>,
    tally: Option<Tally>,
    order: Option<Order>,
    selected: bool,
    /// Whether it passes the filter.
    matches: bool,
}

/// When the operator creates an object, compared with the selected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Before,
    After,
}

impl Outline {
    /// The boxes of an installation. The object that was searched for is the selected one.
    pub(crate) fn of(found: &Found<Seconds>, filter: &Filter, now: Timestamp) -> Self {
        let mut names = Vec::new();
        collect_names(found.root(), &mut names);
        let keys = |nodes: Vec<&Node>| nodes.into_iter().map(|node| node.key.clone()).collect();
        let mut drawing = Drawing {
            passes: filter.test(),
            filter,
            now,
            beginning: shared_beginning(&names),
            selected: &found.node().key,
            before: keys(found.before()),
            after: keys(found.after()),
            ids: BTreeMap::new(),
            matching: 0,
        };
        let root = drawing.branch(found.root());
        Self { root, matching: drawing.matching }
    }

    /// How many columns of owners there are.
    pub(crate) fn depth(&self) -> usize {
        self.root.depth()
    }
}

impl Branch {
    fn depth(&self) -> usize {
        let below = self.groups.iter().filter_map(|group| match group {
            Group::Owner(branch) => Some(branch.depth()),
            Group::Leaves(_) => None,
        });
        1 + below.max().unwrap_or_default()
    }
}

impl Card {
    /// What a screen reader reads.
    fn label(&self) -> String {
        let Self { kind, shared, own, state, .. } = self;
        let why = self.why.as_ref().map(|why| format!(", {why}")).unwrap_or_default();
        let tally = self.tally.map(|tally| format!(", {tally} ready")).unwrap_or_default();
        let order = match self.order {
            Some(Order::Before) => ", created before the selected object",
            Some(Order::After) => ", created after the selected object",
            None => "",
        };
        format!("{kind} {shared}{own}: {state}{why}{tally}{order}")
    }
}

struct Drawing<'a, F> {
    passes: F,
    filter: &'a Filter,
    now: Timestamp,
    beginning: &'a str,
    selected: &'a ObjectKey,
    before: BTreeSet<ObjectKey>,
    after: BTreeSet<ObjectKey>,
    /// How often each id is used: several owners can want the same object.
    ids: BTreeMap<String, usize>,
    matching: usize,
}

impl<F: Fn(&ObjectKey, Phase) -> bool> Drawing<'_, F> {
    fn branch(&mut self, node: &Node) -> Branch {
        let card = self.card(node);
        self.matching += usize::from(card.matches);
        let mut below: Vec<_> = node.children.iter().map(|child| self.branch(child)).collect();
        below.retain(|branch| branch.card.matches || !branch.groups.is_empty());
        below.sort_by_key(|branch| (Attention::of(branch.card.worst), branch.groups.is_empty()));
        let mut groups = Vec::new();
        for branch in below {
            match (branch.groups.is_empty(), groups.last_mut()) {
                (false, _) => groups.push(Group::Owner(branch)),
                (true, Some(Group::Leaves(leaves))) => leaves.add(branch.card),
                (true, _) => {
                    let (phase, cards) = (branch.card.worst, vec![branch.card]);
                    groups.push(Group::Leaves(Leaves { phase, cards, left_out: 0 }));
                }
            }
        }
        Branch { card, groups }
    }

    fn card(&mut self, node: &Node) -> Card {
        let key = &node.key;
        let link = Link::of(key);
        let (shared, own) = parts(&key.name, self.beginning);
        let order = match (self.before.contains(key), self.after.contains(key)) {
            (true, _) => Some(Order::Before),
            (_, true) => Some(Order::After),
            _ => None,
        };
        let (tally, is_cause) = (node.tally(), is_cause(node));
        let is_stuck =
            is_cause && matches!(node.state.phase, Phase::Failed | Phase::Waiting | Phase::Applying);
        Card {
            id: self.id(key),
            href: self.filter.at(&link.href, 1),
            shared: shared.to_owned(),
            own: own.to_owned(),
            state: node.state.phase,
            since: is_stuck.then(|| Moment::new(node.since.into(), self.now)),
            worst: worst(node),
            // An owner that only waits for what it owns says nothing that this does not say better.
            why: is_cause.then(|| explanation(node)).flatten(),
            tally: (tally.all > 0).then_some(tally),
            order,
            selected: key == self.selected,
            matches: (self.passes)(key, node.state.phase),
            kind: link.kind,
        }
    }

    fn id(&mut self, key: &ObjectKey) -> String {
        let id = format!("node-{}-{}-{}", key.namespace, key.kind, key.name);
        let count = self.ids.entry(id.clone()).or_default();
        *count += 1;
        if *count == 1 { id } else { format!("{id}-{count}") }
    }
}

impl Leaves {
    fn add(&mut self, card: Card) {
        self.phase = self.phase.min(card.worst);
        if self.cards.len() < LARGEST_GROUP { self.cards.push(card) } else { self.left_out += 1 }
    }
}

/// The object that the readiness of an installation depends on first, if it is not ready: the end of the line of failures.
pub(crate) fn cause(root: &Node) -> Option<&Node> {
    let mut node = root;
    while !is_cause(node) {
        node = node.children.iter().min_by_key(|child| worst(child))?;
    }
    (!node.is_ready()).then_some(node)
}

/// Whether nothing below an object needs as much attention as the object itself.
pub(crate) fn is_cause(node: &Node) -> bool {
    node.children
        .iter()
        .map(worst)
        .min()
        .is_none_or(|below| node.state.phase < below || below == Phase::Ready)
}

/// The phase that needs most attention, of an object and of everything below it.
fn worst(node: &Node) -> Phase {
    node.children.iter().map(worst).fold(node.state.phase, Phase::min)
}

fn collect_names<'a>(node: &'a Node, names: &mut Vec<&'a str>) {
    names.push(&node.key.name);
    for child in &node.children {
        collect_names(child, names);
    }
}
