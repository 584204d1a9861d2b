//! The graph and how it is built.

use crate::{
    deps::{Blockers, Brand, Deps, Node},
    edge::Edges,
};
use std::{
    fmt,
    marker::PhantomData,
    ops::{Index, Range},
};

/// A node's place in its graph, which is also its rank in the topological order.
///
/// Reports and drawings name nodes by it. It does not prove that the node exists, so it cannot be used to add an edge:
/// that takes a [`Node`].
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

/// Collects the nodes of a new graph; [`Graph::build`] hands it out.
pub struct Builder<'g, N> {
    graph: Graph<N>,
    brand: Brand<'g>,
}

impl<'g, N> Builder<'g, N> {
    /// Adds a node that depends on everything in `after`, see [`Edge`](crate::Edge).
    ///
    /// `K` is the caller's name for the payload's kind, for functions that take a `Node<'g, K>`.
    pub fn add<K>(&mut self, payload: impl Into<N>, after: impl Deps<'g>) -> Node<'g, K> {
        let Graph { nodes, dependencies, edges } = &mut self.graph;
        let id = NodeId::new(nodes.len());
        let start = dependencies.len();
        for (dependency, how) in Blockers::named_by(after) {
            nodes[dependency.index()].dependents.push(id);
            dependencies.push(dependency);
            edges.push(how);
        }
        let dependencies = start..dependencies.len();
        nodes.push(Entry { payload: payload.into(), dependencies, dependents: Vec::new() });
        Node::new(id)
    }
}

impl<N: fmt::Debug> fmt::Debug for Builder<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Builder").field(&self.graph).finish()
    }
}

/// Payloads and what each of them depends on. It has no cycles by construction, and its edges never change.
#[derive(Clone, Debug)]
pub struct Graph<N> {
    nodes: Vec<Entry<N>>,
    /// The dependencies of all nodes, one node after another; each once and ascending.
    dependencies: Vec<NodeId>,
    /// How a node depends on each entry of `dependencies`.
    edges: Vec<Edges>,
}

#[derive(Clone, Debug)]
struct Entry<N> {
    payload: N,
    /// Where the node's dependencies are among those of all nodes.
    dependencies: Range<usize>,
    /// Each once, ascending.
    dependents: Vec<NodeId>,
}

impl<N> Graph<N> {
    /// Lets `f` add nodes to an empty graph, and returns its error unchanged.
    ///
    /// `f` must work for any brand `'g`, so no handle can leave it or be brought into it.
    pub fn build<E>(f: impl for<'g> FnOnce(&mut Builder<'g, N>) -> Result<(), E>) -> Result<Self, E> {
        let graph = Self { nodes: Vec::new(), dependencies: Vec::new(), edges: Vec::new() };
        let mut builder = Builder { graph, brand: PhantomData };
        f(&mut builder)?;
        Ok(builder.graph)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every node with its payload and its dependencies, each once and ascending.
    ///
    /// The order is that of insertion, which is topological: a node comes after all its dependencies.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &N, &[NodeId])> + ExactSizeIterator {
        let nodes = self.nodes.iter().enumerate();
        nodes.map(|(index, node)| {
            (NodeId::new(index), &node.payload, &self.dependencies[node.dependencies.clone()])
        })
    }

    /// The payload of one node.
    ///
    /// # Panics
    ///
    /// If `id` comes from a larger graph, as indexing a slice would.
    pub fn get(&self, id: NodeId) -> &N {
        &self.nodes[id.index()].payload
    }

    /// The payloads in topological order, for a pass that rewrites them all.
    pub fn payloads_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut N> + ExactSizeIterator {
        self.nodes.iter_mut().map(|node| &mut node.payload)
    }

    /// The dependencies of `id`, each once and ascending, and how `id` depends on each.
    pub fn edges(&self, id: NodeId) -> impl ExactSizeIterator<Item = (NodeId, Edges)> {
        let range = &self.nodes[id.index()].dependencies;
        let edges = self.edges[range.clone()].iter().copied();
        self.dependencies[range.clone()].iter().copied().zip(edges)
    }

    /// The nodes that depend on `id`, ascending.
    pub(crate) fn dependents(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id.index()].dependents
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
