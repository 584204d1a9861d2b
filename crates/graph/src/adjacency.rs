//! The edges of a graph, without an allocation per node.

use crate::graph::NodeId;
use std::ops::Range;

/// For every node a list of nodes: all lists in one vector, cut at `bounds`.
#[derive(Clone, Debug)]
pub(crate) struct Adjacency {
    /// List `i` is `targets[bounds[i]..bounds[i + 1]]`.
    bounds: Vec<usize>,
    targets: Vec<NodeId>,
}

impl Adjacency {
    /// Takes lists that were written one after another into `targets`; `ends` says where each of them ends.
    ///
    /// `ends` starts with a zero, the end of nothing.
    pub(crate) fn new(ends: Vec<usize>, targets: Vec<NodeId>) -> Self {
        Self { bounds: ends, targets }
    }

    /// The list of one node.
    pub(crate) fn of(&self, id: NodeId) -> &[NodeId] {
        &self.targets[self.range(id)]
    }

    /// Where the list of one node is among all.
    pub(crate) fn range(&self, id: NodeId) -> Range<usize> {
        self.bounds[id.index()]..self.bounds[id.index() + 1]
    }

    /// All lists, in the order of their nodes.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[NodeId]> + ExactSizeIterator {
        self.bounds.windows(2).map(|list| &self.targets[list[0]..list[1]])
    }

    /// The same edges seen from their other end; every list ascends.
    pub(crate) fn reversed(&self) -> Self {
        let mut bounds = vec![0; self.bounds.len()];
        for target in &self.targets {
            bounds[target.index()] += 1;
        }
        let mut end = 0;
        for bound in &mut bounds {
            end += *bound;
            *bound = end;
        }
        // Every bound is now the end of its list. Filling from the back moves it to the list's start.
        let mut targets = vec![NodeId::new(0); self.targets.len()];
        for (source, list) in self.iter().enumerate().rev() {
            for target in list {
                let bound = &mut bounds[target.index()];
                *bound -= 1;
                targets[*bound] = NodeId::new(source);
            }
        }
        Self { bounds, targets }
    }
}
