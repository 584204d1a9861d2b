//! The kinds of edges: what must be true of the dependency, and which part of the dependent's work waits for it.

use crate::deps::{Blockers, Deps};

/// How one node depends on another.
///
/// [`run`](crate::run()) enforces only [`Edge::Needs`]. Through the others the dependent runs after the dependency has
/// ended, whatever its outcome. The dependent's step checks the dependency's state itself and returns
/// [`Step::Blocked`](crate::Step::Blocked) if a part of its work has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// The dependent reads something of the dependency: it does not run before the dependency has it, see
    /// [`Step::Ready`](crate::Step::Ready) and [`Step::Usable`](crate::Step::Usable).
    Needs,
    /// The dependent is not *created* before the dependency is available. A dependent that exists is always updated.
    StartsAfter,
    /// The dependent gets no *new version* before the dependency is ready. All other changes are applied at once.
    UpgradesAfter,
    /// The dependent records that the newest version of the dependency has run: it is neither created nor changed
    /// before that is true.
    Confirms,
}

impl Edge {
    const ALL: [Self; 4] = [Self::Needs, Self::StartsAfter, Self::UpgradesAfter, Self::Confirms];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// All the ways in which one node depends on another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Edges(u8);

impl Edges {
    /// Whether `edge` is one of the ways.
    pub const fn contains(self, edge: Edge) -> bool {
        self.0 & edge.bit() != 0
    }

    /// Each way, in the order of [`Edge`].
    pub fn iter(self) -> impl Iterator<Item = Edge> {
        Edge::ALL.into_iter().filter(move |edge| self.contains(*edge))
    }

    #[must_use]
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl From<Edge> for Edges {
    fn from(edge: Edge) -> Self {
        Self(edge.bit())
    }
}

/// Nodes on which the new node depends through one kind of edge; made by [`starts_after`], [`upgrades_after`] and
/// [`confirms`].
#[derive(Clone, Copy, Debug)]
pub struct Through<D> {
    edge: Edge,
    nodes: D,
}

/// See [`Edge::StartsAfter`].
pub const fn starts_after<D>(nodes: D) -> Through<D> {
    Through { edge: Edge::StartsAfter, nodes }
}

/// See [`Edge::UpgradesAfter`].
pub const fn upgrades_after<D>(nodes: D) -> Through<D> {
    Through { edge: Edge::UpgradesAfter, nodes }
}

/// See [`Edge::Confirms`].
pub const fn confirms<D>(nodes: D) -> Through<D> {
    Through { edge: Edge::Confirms, nodes }
}

impl<'g, D: Deps<'g>> Deps<'g> for Through<D> {
    fn collect(&self, into: &mut Blockers<'g>) {
        into.through(self.edge, |into| self.nodes.collect(into));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use std::convert::Infallible;

    #[test]
    fn a_node_may_depend_on_another_in_several_ways() {
        let graph = Graph::<u8>::build(|g| {
            let a = g.add::<u8>(0, ());
            let b = g.add::<u8>(1, starts_after(a));
            g.add::<u8>(2, (upgrades_after((a, b)), starts_after(Some(b)), a, confirms(b)));
            Ok::<_, Infallible>(())
        })
        .unwrap();
        let edges: Vec<Vec<_>> = graph
            .iter()
            .map(|(id, ..)| graph.edges(id).map(|(to, edges)| (to.index(), edges.iter().collect())).collect())
            .collect::<Vec<Vec<(usize, Vec<Edge>)>>>();
        let expected = [
            vec![],
            vec![(0, vec![Edge::StartsAfter])],
            vec![
                (0, vec![Edge::Needs, Edge::UpgradesAfter]),
                (1, vec![Edge::StartsAfter, Edge::UpgradesAfter, Edge::Confirms]),
            ],
        ];
        assert_eq!(edges, expected);
    }
}
