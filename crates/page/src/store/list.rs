//! The list of installations.

use super::{Address, Content, Node, Store};
use crate::filter::Filter;
use plan::ObjectKey;
use progress::{Phase, Summary};
use std::collections::BTreeMap;

/// Which part of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Which objects.
    pub filter: Filter,
    /// How many to skip.
    pub skip: usize,
    /// The most to return.
    pub take: usize,
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The matching objects, without their children; those that need attention come first.
    pub shown: Vec<(Node, Summary)>,
    /// How many objects are in each phase, without the filter.
    pub counts: BTreeMap<Phase, usize>,
    /// How many objects match the filter.
    pub found: usize,
    /// Number of the last change.
    pub revision: u64,
}

impl Store {
    /// The objects without an owner, and those of the `listed` kinds whose owner this operator does not reconcile.
    pub fn list(&self, listed: &[&str], query: &Query) -> List {
        let content = self.content();
        let Content { tree, stored } = &*content;
        let is_whole = |key: &ObjectKey| {
            let parent = stored.get(key).and_then(|stored| stored.parent.as_ref());
            parent.is_none_or(|parent| listed.contains(&key.kind.as_str()) && !tree.contains(parent))
        };
        let is_wanted = query.filter.test();
        let mut counts = BTreeMap::new();
        let mut found = Vec::new();
        for node in tree.roots_without_children(is_whole) {
            *counts.entry(node.state.phase).or_default() += 1;
            if is_wanted(&node.key, node.state.phase) {
                found.push(node);
            }
        }
        found.sort_by_cached_key(|node| (Attention::of(node.state.phase), Address::from(&node.key)));
        let (revision, all) = (tree.revision(), found.len());
        let shown = found.into_iter().skip(query.skip).take(query.take).map(|node| {
            let summary = stored.get(&node.key).map(|stored| stored.summary.clone());
            (node, summary.unwrap_or_default())
        });
        List { shown: shown.collect(), counts, found: all, revision }
    }
}

/// The place of an object among others: failures come first, and objects that are ready last. The others are not reordered
/// while they make progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Attention {
    Failure,
    Progress,
    Pause,
    None,
}

impl Attention {
    pub(crate) fn of(phase: Phase) -> Self {
        match phase {
            Phase::Failed => Self::Failure,
            Phase::Waiting | Phase::Blocked | Phase::Applying | Phase::Pending => Self::Progress,
            Phase::Paused | Phase::Deleted => Self::Pause,
            Phase::Ready => Self::None,
        }
    }
}
