//! An object as renderers show it, and how objects are counted.

use super::Phase;
use crate::Tally;
use plan::ObjectKey;
use std::collections::BTreeMap;

/// An object, its state, and the objects below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode<T> {
    /// The object.
    pub key: ObjectKey,
    /// Its state.
    pub state: NodeState,
    /// Since when it is in its phase.
    pub since: T,
    /// When the tree first learned of it, or of its owner if it owns nothing itself.
    pub began: T,
    /// Whether it is an owner itself.
    pub is_owner: bool,
    /// Positions of the siblings it waits for.
    pub after: Vec<usize>,
    /// The objects it wants to exist, in topological order.
    pub children: Vec<TreeNode<T>>,
    /// Number of the last change to it or below it.
    pub revision: u64,
}

/// The phase of an object, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// Its phase.
    pub phase: Phase,
    /// The reason of its failure, as in a condition.
    pub reason: Option<&'static str>,
    /// Why it is not ready, in words.
    pub message: Option<String>,
    /// The sibling that it waits for.
    pub blocked_by: Option<ObjectKey>,
}

impl NodeState {
    /// The reason and the message, in one text.
    pub fn explanation(&self) -> Option<String> {
        match (self.reason, &self.message) {
            (Some(reason), Some(message)) => Some(format!("{reason}: {message}")),
            (Some(reason), None) => Some(reason.to_owned()),
            (None, message) => message.clone(),
        }
    }
}

impl<T> TreeNode<T> {
    /// Whether the object and everything below it is ready.
    pub fn is_ready(&self) -> bool {
        self.state.phase == Phase::Ready
    }

    /// How many objects below this one are ready.
    pub fn tally(&self) -> Tally {
        tally(&self.children)
    }

    /// How many objects below this one are in each phase.
    pub fn counts(&self) -> BTreeMap<Phase, usize> {
        counts(&self.children)
    }
}

/// How many of these objects, and of those below them, are ready. Each counts once.
pub fn tally<T>(nodes: &[TreeNode<T>]) -> Tally {
    let counts = counts(nodes);
    Tally { ready: counts.get(&Phase::Ready).copied().unwrap_or_default(), all: counts.values().sum() }
}

/// How many of these objects, and of those below them, are in each phase. An object that several owners want to exist counts
/// once, in the phase that needs most attention.
fn counts<T>(nodes: &[TreeNode<T>]) -> BTreeMap<Phase, usize> {
    let mut phases: BTreeMap<&ObjectKey, Phase> = BTreeMap::new();
    let mut ahead: Vec<&TreeNode<T>> = nodes.iter().collect();
    while let Some(node) = ahead.pop() {
        let phase = phases.entry(&node.key).or_insert(node.state.phase);
        *phase = node.state.phase.min(*phase);
        ahead.extend(&node.children);
    }
    phases.into_values().fold(BTreeMap::new(), |mut counts, phase| {
        *counts.entry(phase).or_default() += 1;
        counts
    })
}
