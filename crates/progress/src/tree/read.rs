//! What renderers read from a tree: copies of nodes, in the states that count.

use super::{
    NodeState, Phase, Tree, TreeNode,
    owner::{Child, Owner},
};
use plan::ObjectKey;
use std::{collections::BTreeSet, sync::Arc};

/// Owners below owners: more levels than there are kinds of owners, and an end for an object that owns itself.
pub(super) const DEEPEST: usize = 8;

impl<T: Copy> Tree<T> {
    /// Whether every object is ready or paused, so that nothing changes without a cause.
    pub fn is_settled(&self) -> bool {
        let marks = |owner: &Owner<T>| {
            let children = owner.children.iter().map(|child| child.mark.phase);
            [owner.mark.phase]
                .into_iter()
                .chain(children)
                .all(|it| matches!(it, Phase::Ready | Phase::Paused))
        };
        self.owners.values().all(marks)
    }

    /// The owners that no other owner wants to exist, in the order in which the tree learned of them.
    pub fn roots(&self) -> Vec<TreeNode<T>> {
        let owned = self.owned();
        self.nodes(|key, _| !owned.contains(key))
    }

    /// The wanted ones of these owners, without the objects below them.
    pub fn roots_without_children(&self, wanted: impl Fn(&ObjectKey) -> bool) -> Vec<TreeNode<T>> {
        let owned = self.owned();
        let roots = self.owners.iter().filter(|(key, _)| wanted(key) && !owned.contains(*key));
        roots.map(|(key, owner)| self.without_children(key, owner, 0)).collect()
    }

    /// The owners that another owner wants to exist.
    fn owned(&self) -> BTreeSet<ObjectKey> {
        self.owners
            .iter()
            .flat_map(|(key, owner)| owner.children.iter().map(move |child| (key, child)))
            .filter(|(key, child)| self.is_owner_kind(child) && child.key(key.home()) != **key)
            .map(|(key, child)| child.key(key.home()))
            .collect()
    }

    /// The objects that are expected.
    pub fn expected(&self) -> Vec<TreeNode<T>> {
        self.nodes(|_, owner| owner.is_expected())
    }

    fn nodes(&self, wanted: impl Fn(&ObjectKey, &Owner<T>) -> bool) -> Vec<TreeNode<T>> {
        let mut owners: Vec<_> = self.owners.iter().filter(|(key, owner)| wanted(key, owner)).collect();
        owners.sort_by_key(|(_, owner)| owner.number);
        owners.into_iter().map(|(key, owner)| self.node(key, owner, 0)).collect()
    }

    pub(super) fn node(&self, key: &ObjectKey, owner: &Owner<T>, depth: usize) -> TreeNode<T> {
        let mut node = self.without_children(key, owner, depth);
        let child = |child: &Child<T>| {
            let (state, since) = self.child_state(key.home(), owner, child, depth);
            let node = match self.as_owner(key.home(), child, depth) {
                Some((key, own)) => self.node(&key, own, depth + 1),
                None => leaf(child.key(key.home()), owner),
            };
            TreeNode { state, since, ..node }
        };
        node.children = owner.children.iter().map(child).collect();
        for (before, after) in &owner.edges {
            node.children[usize::from(*after)].after.push((*before).into());
        }
        node.revision = node.children.iter().map(|child| child.revision).fold(node.revision, u64::max);
        node
    }

    fn without_children(&self, key: &ObjectKey, owner: &Owner<T>, depth: usize) -> TreeNode<T> {
        let (state, since) = self.owner_state(key.home(), owner, depth);
        TreeNode { state, since, is_owner: true, revision: owner.revision, ..leaf(key.clone(), owner) }
    }

    /// The state of an owner: one that is ready itself waits for the objects below it that are not.
    fn owner_state(&self, namespace: &str, owner: &Owner<T>, depth: usize) -> (NodeState, T) {
        if owner.mark.phase == Phase::Ready {
            let states = owner.children.iter().map(|child| {
                let (state, since) = self.child_state(namespace, owner, child, depth);
                (child, state, since)
            });
            let unready = states.filter(|(_, state, _)| state.phase != Phase::Ready);
            if let Some((child, state, since)) = unready.min_by_key(|(_, state, _)| state.phase) {
                let why = state.explanation().unwrap_or_else(|| state.phase.to_string());
                let message = Some(format!("{}: {why}", child.key(namespace)));
                return (NodeState { phase: Phase::Waiting, reason: None, message, blocked_by: None }, since);
            }
        }
        (owner.state(&owner.mark, namespace), owner.mark.since)
    }

    /// The state of a child: one that is an owner is ready when both of them say so.
    fn child_state(
        &self,
        namespace: &str,
        owner: &Owner<T>,
        child: &Child<T>,
        depth: usize,
    ) -> (NodeState, T) {
        let own = self.as_owner(namespace, child, depth);
        let own = own.map(|(_, own)| self.owner_state(namespace, own, depth + 1));
        let own = own.filter(|(state, _)| state.phase != Phase::Ready);
        own.unwrap_or_else(|| (owner.state(&child.mark, namespace), child.mark.since))
    }

    fn as_owner(&self, namespace: &str, child: &Child<T>, depth: usize) -> Option<(ObjectKey, &Owner<T>)> {
        if depth >= DEEPEST || !self.is_owner_kind(child) {
            return None;
        }
        let key = child.key(namespace);
        let owner = self.owners.get(&key)?;
        Some((key, owner))
    }

    fn is_owner_kind(&self, child: &Child<T>) -> bool {
        self.owner_kinds.iter().any(|kind| Arc::ptr_eq(kind, &child.kind))
    }
}

/// An object without children, before its state is known.
fn leaf<T: Copy>(key: ObjectKey, owner: &Owner<T>) -> TreeNode<T> {
    TreeNode {
        key,
        state: NodeState { phase: Phase::Pending, reason: None, message: None, blocked_by: None },
        since: owner.began,
        began: owner.began,
        is_owner: false,
        after: Vec::new(),
        children: Vec::new(),
        revision: 0,
    }
}
