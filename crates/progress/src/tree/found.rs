//! A search for one object, and for the whole installation that it belongs to.

use super::{
    Tree, TreeNode,
    owner::{Child, Owner},
    read::DEEPEST,
};
use plan::ObjectKey;
use std::collections::BTreeSet;

/// An object that a tree was searched for, in the installation that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    root: TreeNode<T>,
    /// Positions of the children that lead from the root to the object.
    path: Vec<usize>,
}

impl<T> Found<T> {
    /// The topmost owner above the object, or the object itself, with everything below it.
    pub fn root(&self) -> &TreeNode<T> {
        &self.root
    }

    /// The object.
    pub fn node(&self) -> &TreeNode<T> {
        self.line().last().copied().unwrap_or(&self.root)
    }

    /// The objects from the root down to the object, both included.
    pub fn line(&self) -> Vec<&TreeNode<T>> {
        let mut line = vec![&self.root];
        for &position in &self.path {
            let below = line.last().and_then(|node| node.children.get(position));
            line.extend(below);
        }
        line
    }

    /// The object that wants it to exist.
    pub fn parent(&self) -> Option<&TreeNode<T>> {
        self.line().into_iter().nth_back(1)
    }

    /// The siblings that it waits for.
    pub fn before(&self) -> Vec<&TreeNode<T>> {
        let Some(parent) = self.parent() else { return Vec::new() };
        self.node().after.iter().filter_map(|&position| parent.children.get(position)).collect()
    }

    /// The siblings that wait for it.
    pub fn after(&self) -> Vec<&TreeNode<T>> {
        let (Some(parent), Some(own)) = (self.parent(), self.path.last()) else { return Vec::new() };
        parent.children.iter().filter(|sibling| sibling.after.contains(own)).collect()
    }
}

impl<T: Copy> Tree<T> {
    /// The object with this name, be it an owner or a child, in a place as [`ObjectKey::place`] has it.
    pub fn find(&self, place: &str, kind: &str, name: &str) -> Option<Found<T>> {
        let is_child = |owner: &ObjectKey, child: &Child<T>| {
            let is_named = *child.name == *name && child.kind.word() == kind;
            is_named && child.key(owner.home()).place() == place
        };
        let is_owner = |key: &&ObjectKey| key.name == name && key.kind == kind && key.place() == place;
        let mut path = Vec::new();
        let mut top = match self.wanting(is_child) {
            Some((owner, position)) => {
                path.push(position);
                owner
            }
            None => self.owners.keys().find(is_owner)?,
        };
        // Objects that own each other have no topmost owner.
        let mut passed = BTreeSet::from([top]);
        while path.len() < DEEPEST
            && let Some((owner, position)) =
                self.wanting(|owner, child| child.is(top) && child.key(owner.home()) == *top)
            && passed.insert(owner)
        {
            path.push(position);
            top = owner;
        }
        path.reverse();
        Some(Found { root: self.node(top, self.owners.get(top)?, 0), path })
    }

    /// The first owner of such a child, other than the child itself, and the position of the child.
    fn wanting(&self, is_wanted: impl Fn(&ObjectKey, &Child<T>) -> bool) -> Option<(&ObjectKey, usize)> {
        self.owners.iter().find_map(|(key, owner): (_, &Owner<T>)| {
            let is_other = |child: &Child<T>| is_wanted(key, child) && child.key(key.home()) != *key;
            Some((key, owner.children.iter().position(is_other)?))
        })
    }
}
