//! Which changes of an object wait for its dependencies.

use crate::Reached;
use graph::{Edge, Edges};

/// The changes of an object that wait, each with the first dependency that it waits for. `N` identifies a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate<N> {
    /// The dependency that its creation waits for; see [`Edge::StartsAfter`].
    pub creation: Option<N>,
    /// The dependency that its upgrade waits for; see [`Edge::UpgradesAfter`].
    pub upgrade: Option<N>,
    /// The dependency that every change waits for; see [`Edge::Confirms`].
    pub change: Option<N>,
}

impl<N: Copy> Gate<N> {
    /// No change waits.
    pub const OPEN: Self = Self { creation: None, upgrade: None, change: None };

    /// The changes that wait, given how far the rollouts of the dependencies have come.
    pub fn of(edges: impl Iterator<Item = (N, Edges)>, reached: impl Fn(N) -> Reached) -> Self {
        let mut gate = Self::OPEN;
        for (dependency, edges) in edges {
            for edge in edges.iter() {
                let (closed, least) = match edge {
                    // Enforced by the graph.
                    Edge::Needs => continue,
                    Edge::StartsAfter => (&mut gate.creation, Reached::Available),
                    Edge::UpgradesAfter => (&mut gate.upgrade, Reached::Ready),
                    Edge::Confirms => (&mut gate.change, Reached::Current),
                };
                if closed.is_none() && reached(dependency) < least {
                    *closed = Some(dependency);
                }
            }
        }
        gate
    }

    /// The dependency that the creation of an absent object waits for.
    pub fn keeps_away(&self) -> Option<N> {
        self.change.or(self.creation)
    }

    /// Whether an existing object must stay unchanged, or at its version.
    pub fn holds_back(&self) -> bool {
        self.change.is_some() || self.upgrade.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_waits_for_its_level_and_no_longer() {
        let gate = |edge: Edge, reached| Gate::of(std::iter::once(("it", Edges::from(edge))), |_| reached);
        let waiting = |edge| {
            let levels = [Reached::Nothing, Reached::Available, Reached::Current, Reached::Ready];
            levels.map(|reached| gate(edge, reached) != Gate::OPEN)
        };
        assert_eq!(waiting(Edge::Needs), [false; 4], "enforced by the graph");
        assert_eq!(waiting(Edge::StartsAfter), [true, false, false, false]);
        assert_eq!(waiting(Edge::Confirms), [true, true, false, false]);
        assert_eq!(waiting(Edge::UpgradesAfter), [true, true, true, false]);
    }

    #[test]
    fn the_first_dependency_that_is_not_far_enough_is_named() {
        let edges = [("a", Edge::StartsAfter), ("b", Edge::UpgradesAfter), ("c", Edge::StartsAfter)];
        let edges = edges.into_iter().map(|(node, edge)| (node, edge.into()));
        let reached = |node| if node == "a" { Reached::Ready } else { Reached::Nothing };
        let expected = Gate { creation: Some("c"), upgrade: Some("b"), change: None };
        assert_eq!(Gate::of(edges, reached), expected);
    }
}
