//! The nodes that may start now.

use crate::graph::NodeId;

const BITS: usize = u64::BITS as usize;

/// A set of nodes that gives up its lowest member first.
///
/// One bit per node, and above it one bit per non-empty word, so that neither operation moves memory as a heap
/// would. Removing looks at no more than one word in 4 096 nodes.
#[derive(Debug)]
pub(crate) struct Runnable {
    words: Vec<u64>,
    /// Bit `w % 64` of entry `w / 64` is set while `words[w]` is not zero.
    occupied: Vec<u64>,
}

impl Runnable {
    /// An empty set with room for the ids of `nodes` nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        let words = nodes.div_ceil(BITS);
        Self { words: vec![0; words], occupied: vec![0; words.div_ceil(BITS)] }
    }

    pub(crate) fn insert(&mut self, id: NodeId) {
        let word = id.index() / BITS;
        self.words[word] |= 1 << (id.index() % BITS);
        self.occupied[word / BITS] |= 1 << (word % BITS);
    }

    /// Removes the lowest node.
    pub(crate) fn pop(&mut self) -> Option<NodeId> {
        let (group, occupied) = self.occupied.iter_mut().enumerate().find(|(_, words)| **words != 0)?;
        let index = group * BITS + occupied.trailing_zeros() as usize;
        let word = &mut self.words[index];
        let id = NodeId::new(index * BITS + word.trailing_zeros() as usize);
        *word &= *word - 1;
        if *word == 0 {
            *occupied &= *occupied - 1;
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::btree_set, prelude::*};

    proptest! {
        #[test]
        fn the_lowest_comes_first(first in btree_set(0usize..9000, 0..60), then in btree_set(0usize..9000, 0..60)) {
            let mut runnable = Runnable::new(9000);
            let mut expected = first.clone();
            for index in first.into_iter().rev() {
                runnable.insert(NodeId::new(index));
            }
            prop_assert_eq!(runnable.pop().map(NodeId::index), expected.pop_first());
            expected.extend(&then);
            for index in then {
                runnable.insert(NodeId::new(index));
            }
            while let Some(id) = runnable.pop() {
                prop_assert_eq!(Some(id.index()), expected.pop_first());
            }
            prop_assert!(expected.is_empty());
        }
    }
}
