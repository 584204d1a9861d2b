//! What a reader gets of the board: copies of as much as one page shows.

use super::{Address, Board, Kind, Mark, Owner, Summary, Why};
use crate::State;
use jiff::Timestamp;
use std::{collections::BTreeMap, sync::Arc};

/// One object: where it is, what it is made of, whose part it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// API group of its kind.
    pub group: Box<str>,
    /// Where it is.
    pub part: Part,
    /// What it says of itself.
    pub summary: Summary,
    /// The object that wants it to exist, if one does.
    pub parent: Option<Address>,
    /// The objects it wants to exist, in topological order.
    pub parts: Vec<Part>,
    /// Which of them waits for which.
    pub edges: Vec<Edge>,
    /// Objects beside it that it waits for, if it is a part.
    pub after: Vec<Part>,
    /// Number of the last change.
    pub revision: u64,
}

/// Where one object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which object.
    pub address: Address,
    /// Its state.
    pub state: State,
    /// Since when.
    pub since: Timestamp,
    /// Why it is not ready, in words.
    pub why: Option<String>,
    /// The object to blame, where it is another one.
    pub culprit: Option<Address>,
    /// Whether it is made of parts itself.
    pub composed: bool,
}

/// That one part waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Position of the one that comes first.
    pub before: usize,
    /// Position of the one that waits.
    pub after: usize,
}

/// Which objects are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// In this state only.
    pub state: Option<State>,
    /// With this in their namespace, kind or name.
    pub text: String,
    /// So many of them are left out at the beginning.
    pub skip: usize,
    /// At most so many.
    pub take: usize,
}

/// One object of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it is.
    pub part: Part,
    /// What it says of itself.
    pub summary: Summary,
}

/// Part of the list of all objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Those that were asked for, those that need attention first.
    pub shown: Vec<Row>,
    /// How many there are of each state, whatever was asked for.
    pub counts: BTreeMap<State, usize>,
    /// How many there are of what was asked for.
    pub found: usize,
    /// Number of the last change.
    pub revision: u64,
}

impl Board {
    /// Those objects that are no part of another one, and of the `listed` kinds those whose owner is not known here.
    pub fn listing(&self, listed: &[&str], query: &Query) -> Listing {
        let memory = self.memory();
        let mut counts = BTreeMap::new();
        let mut found = Vec::new();
        let text = query.text.to_lowercase();
        let is_whole = |address: &Address, owner: &Owner| {
            let unknown = |parent: &Address| !memory.owners.contains_key(parent);
            owner.parent.as_deref().is_none_or(|parent| listed.contains(&&*address.kind) && unknown(parent))
        };
        for (address, owner) in memory.owners.iter().filter(|(address, owner)| is_whole(address, owner)) {
            *counts.entry(owner.mark.state).or_default() += 1;
            let wanted = query.state.is_none_or(|state| state == owner.mark.state) && address.contains(&text);
            if wanted {
                found.push((owner.mark.state, address, owner));
            }
        }
        found.sort_unstable_by_key(|(state, address, _)| (attention(*state), *address));
        let shown = found.iter().skip(query.skip).take(query.take);
        let rows = shown.map(|(_, address, owner)| Row {
            part: owner.as_part((*address).clone()),
            summary: owner.summary.clone(),
        });
        Listing { shown: rows.collect(), counts, found: found.len(), revision: memory.revision }
    }

    /// An object that is reconciled, or a part of one.
    pub fn sight(&self, address: &Address) -> Option<Sight> {
        let memory = self.memory();
        let owners = memory.owners.range(Address::first_of(&address.namespace)..);
        let mut owners = owners.take_while(|(other, _)| other.namespace == address.namespace);
        let parent = owners.find_map(|(parent, owner)| {
            let named = |child: &&super::tree::Child| {
                *child.name == *address.name && *child.kind.name == *address.kind
            };
            let position = owner.children.iter().position(|child| named(&child))?;
            Some((parent, owner, position))
        });
        let composed = |address: &Address| memory.owners.get(address);
        let mut sight = match (memory.owners.get(address), parent) {
            (Some(owner), _) => owner.sight(address, composed),
            (None, Some((place, owner, position))) => owner.part_sight(place, position)?,
            (None, None) => return None,
        };
        if let Some((place, owner, position)) = parent {
            sight.parent = Some(place.clone());
            sight.after = owner.parts_before(place, position);
            sight.revision = sight.revision.max(owner.revision);
        }
        Some(sight)
    }

    /// The number of the last change of an object, as [`Board::sight`] would tell it.
    pub fn revision(&self, address: &Address) -> Option<u64> {
        self.sight(address).map(|sight| sight.revision)
    }
}

/// Trouble comes first, what needs nobody last; among what is on its way nothing jumps about.
fn attention(state: State) -> u8 {
    match state {
        State::Failed => 0,
        State::Waiting | State::Blocked | State::Applying | State::Pending => 1,
        State::Paused => 2,
        State::Ready => 3,
    }
}

impl Address {
    fn first_of(namespace: &str) -> Self {
        Self { namespace: namespace.into(), kind: Box::default(), name: Box::default() }
    }

    fn contains(&self, lower_case: &str) -> bool {
        lower_case.is_empty()
            || [&self.namespace, &self.kind, &self.name]
                .iter()
                .any(|part| part.to_lowercase().contains(lower_case))
    }
}

impl Owner {
    fn as_part(&self, address: Address) -> Part {
        part(address, &self.mark, None, true)
    }

    fn sight<'m>(&self, address: &Address, composed: impl Fn(&Address) -> Option<&'m Owner>) -> Sight {
        let mut parts: Vec<_> =
            (0..self.children.len()).filter_map(|child| self.part(address, child)).collect();
        for part in &mut parts {
            let Some(own) = composed(&part.address) else { continue };
            part.composed = true;
            // It is ready where it says so itself and its owner has nothing left to do for it.
            if own.mark.state != State::Ready {
                *part = own.as_part(part.address.clone());
            }
        }
        let edges = self
            .edges
            .iter()
            .map(|(before, after)| Edge { before: (*before).into(), after: (*after).into() });
        Sight {
            group: self.kind.group.clone(),
            part: self.as_part(address.clone()),
            summary: self.summary.clone(),
            parent: None,
            parts,
            edges: edges.collect(),
            after: Vec::new(),
            revision: self.revision,
        }
    }

    /// A child without parts.
    fn part_sight(&self, owner: &Address, position: usize) -> Option<Sight> {
        Some(Sight {
            group: self.children.get(position)?.kind.group.clone(),
            part: self.part(owner, position)?,
            summary: Summary::default(),
            parent: None,
            parts: Vec::new(),
            edges: Vec::new(),
            after: Vec::new(),
            revision: self.revision,
        })
    }

    fn part(&self, owner: &Address, position: usize) -> Option<Part> {
        let child = self.children.get(position)?;
        let culprit = match child.mark.why {
            Why::Sibling(sibling) => self.address(owner, sibling.into()),
            Why::Nothing | Why::Words(_) => None,
        };
        Some(part(self.address(owner, position)?, &child.mark, culprit, false))
    }

    fn parts_before(&self, owner: &Address, position: usize) -> Vec<Part> {
        let before = self.edges.iter().filter(|(_, after)| usize::from(*after) == position);
        before.filter_map(|(before, _)| self.part(owner, (*before).into())).collect()
    }

    fn address(&self, owner: &Address, position: usize) -> Option<Address> {
        let child = self.children.get(position)?;
        let kind: &Arc<Kind> = &child.kind;
        Some(Address {
            namespace: owner.namespace.clone(),
            kind: kind.name.clone(),
            name: child.name.clone(),
        })
    }
}

fn part(address: Address, mark: &Mark, culprit: Option<Address>, composed: bool) -> Part {
    let why = match (&mark.why, &culprit) {
        (Why::Words(words), _) => Some(words.to_string()),
        (Why::Sibling(_), Some(culprit)) => Some(format!("waits for {} {}", culprit.kind, culprit.name)),
        (Why::Sibling(_) | Why::Nothing, _) => None,
    };
    Part { address, state: mark.state, since: mark.since(), why, culprit, composed }
}
