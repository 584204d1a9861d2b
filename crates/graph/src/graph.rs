//! The graph and the only way to make one.

use crate::{
    adjacency::Adjacency,
    deps::{Blockers, Deps, Node},
    edge::Edges,
};
use std::{fmt, ops::Index};

/// A node's place in its graph, which is also its rank in the topological order.
///
/// It names a node in reports and drawings. It proves nothing, so it cannot be used to add an edge: that takes a
/// [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl NodeId {
    pub(crate) const fn new(index: usize) -> Self {
        Self(index)
    }

    /// How many nodes were added to the graph before this one.
    pub const fn index(self) -> usize {
        self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// A graph in the making; [`Graph::build`] hands it out.
pub struct Builder<'g, N> {
    payloads: Vec<N>,
    /// The blockers of all nodes, one node after another.
    blockers: Blockers<'g>,
    /// Where in `blockers` those of each node end, after a leading zero.
    ends: Vec<usize>,
}

impl<'g, N> Builder<'g, N> {
    /// Adds a node that comes after everything in `after`, see [`Edge`](crate::Edge).
    ///
    /// `K` is what the caller wants to call the payload's kind, for functions that take a `Node<'g, K>`.
    pub fn add<K>(&mut self, payload: impl Into<N>, after: impl Deps<'g>) -> Node<'g, K> {
        let id = NodeId::new(self.payloads.len());
        let start = self.blockers.len();
        after.collect(&mut self.blockers);
        self.blockers.normalise(start);
        self.payloads.push(payload.into());
        self.ends.push(self.blockers.len());
        Node::new(id)
    }
}

impl<N: fmt::Debug> fmt::Debug for Builder<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("payloads", &self.payloads).finish_non_exhaustive()
    }
}

/// Payloads and what each of them waits for. Acyclic by construction, and its edges never change.
#[derive(Clone, Debug)]
pub struct Graph<N> {
    payloads: Vec<N>,
    dependencies: Adjacency,
    /// What each entry of `dependencies` means.
    edges: Vec<Edges>,
    dependents: Adjacency,
}

impl<N> Graph<N> {
    /// Lets `f` add nodes to an empty graph; its error is returned as it is.
    ///
    /// `f` must work for any brand `'g`, so no handle can leave it or be brought into it.
    pub fn build<E>(f: impl for<'g> FnOnce(&mut Builder<'g, N>) -> Result<(), E>) -> Result<Self, E> {
        let mut builder = Builder { payloads: Vec::new(), blockers: Blockers::new(), ends: vec![0] };
        f(&mut builder)?;
        let (targets, edges) = builder.blockers.into_parts();
        let dependencies = Adjacency::new(builder.ends, targets);
        let dependents = dependencies.reversed();
        Ok(Self { payloads: builder.payloads, dependencies, edges, dependents })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.payloads.len()
    }

    /// Whether there are no nodes at all.
    pub fn is_empty(&self) -> bool {
        self.payloads.is_empty()
    }

    /// Every node with its payload and the nodes it comes after, each once and ascending.
    ///
    /// The order is that of insertion, which is topological: a node comes after all it depends on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &N, &[NodeId])> + ExactSizeIterator {
        let nodes = self.payloads.iter().zip(self.dependencies.iter());
        nodes.enumerate().map(|(index, (payload, dependencies))| (NodeId::new(index), payload, dependencies))
    }

    /// The payload of one node.
    ///
    /// # Panics
    ///
    /// If `id` comes from a larger graph, as indexing a slice would.
    pub fn get(&self, id: NodeId) -> &N {
        &self.payloads[id.index()]
    }

    /// The payloads in topological order, for a pass that rewrites them all.
    pub fn payloads_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut N> + ExactSizeIterator {
        self.payloads.iter_mut()
    }

    /// What `id` depends on, each node once and ascending, and in which ways.
    pub fn edges(&self, id: NodeId) -> impl ExactSizeIterator<Item = (NodeId, Edges)> {
        let range = self.dependencies.range(id);
        self.dependencies.of(id).iter().copied().zip(self.edges[range].iter().copied())
    }

    /// What depends on `id`.
    pub(crate) fn dependents(&self, id: NodeId) -> &[NodeId] {
        self.dependents.of(id)
    }
}

impl<N> Index<NodeId> for Graph<N> {
    type Output = N;

    fn index(&self, id: NodeId) -> &N {
        self.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn edges<N>(graph: &Graph<N>) -> Vec<Vec<usize>> {
        graph.iter().map(|(_, _, after)| after.iter().map(|id| id.index()).collect()).collect()
    }

    #[test]
    fn everything_that_names_nodes_can_be_waited_for() {
        let graph = Graph::<u8>::build(|g| {
            let first = g.add::<String>(0, ());
            let second = g.add::<u8>(1, first);
            let third = g.add::<u8>(2, &[first]);
            let fourth = g.add::<u8>(3, Some(third));
            let fifth = g.add::<u8>(4, None::<Node<'_, u8>>);
            let sixth = g.add::<u8>(5, [second, third, fourth].as_slice());
            g.add::<u8>(6, (first, second, vec![third, fourth], Some(&fifth), [sixth], ()));
            Ok::<_, Infallible>(())
        });
        let expected = [vec![], vec![0], vec![0], vec![2], vec![], vec![1, 2, 3], vec![0, 1, 2, 3, 4, 5]];
        assert_eq!(edges(&graph.unwrap()), expected);
    }

    #[test]
    fn order_and_repetition_of_blockers_mean_nothing() {
        let graph = Graph::<u8>::build(|g| {
            let (a, b, c) = (g.add::<u8>(0, ()), g.add::<u8>(1, ()), g.add::<u8>(2, ()));
            g.add::<u8>(3, (c, a, [c, a, b], a));
            g.add::<u8>(4, (a, a));
            Ok::<_, Infallible>(())
        });
        assert_eq!(edges(&graph.unwrap()), [vec![], vec![], vec![], vec![0, 1, 2], vec![0]]);
    }

    #[test]
    fn dependents_are_dependencies_seen_from_the_other_end() {
        let graph = Graph::<u8>::build(|g| {
            let a = g.add::<u8>(0, ());
            let b = g.add::<u8>(1, a);
            let c = g.add::<u8>(2, a);
            g.add::<u8>(3, (b, c));
            Ok::<_, Infallible>(())
        })
        .unwrap();
        let seen: Vec<Vec<usize>> =
            graph.iter().map(|(id, ..)| graph.dependents(id).iter().map(|id| id.index()).collect()).collect();
        assert_eq!(seen, [vec![1, 2], vec![3], vec![3], vec![]]);
    }

    #[test]
    fn an_error_while_building_is_returned_as_it_is() {
        let failed = Graph::<u8>::build(|g| {
            g.add::<u8>(0, ());
            Err("no such secret")
        });
        assert_eq!(failed.err(), Some("no such secret"));
    }

    #[test]
    fn payloads_can_be_rewritten_and_looked_up() {
        let mut graph = Graph::<u8>::build(|g| {
            g.add::<u8>(1, ());
            g.add::<u8>(2, ());
            Ok::<_, Infallible>(())
        })
        .unwrap();
        graph.payloads_mut().for_each(|payload| *payload *= 10);
        let found: Vec<_> =
            graph.iter().map(|(id, ..)| (id.to_string(), graph[id], *graph.get(id))).collect();
        assert_eq!(found, [("n0".to_owned(), 10, 10), ("n1".to_owned(), 20, 20)]);
    }

    #[test]
    fn an_empty_graph_is_empty() {
        let graph = Graph::<u8>::build(|_| Ok::<_, Infallible>(())).unwrap();
        assert!(graph.is_empty());
        assert_eq!((graph.len(), graph.iter().count()), (0, 0));
    }
}
