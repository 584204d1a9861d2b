//! Random acyclic graphs: for every node the lower nodes it comes after, and how it depends on each.

use graph::{Edge, Graph, Node, starts_after};
use proptest::{collection::vec, prelude::*};
use std::convert::Infallible;

/// For every node, what it depends on.
pub type Dag = Vec<Vec<(usize, Edge)>>;

/// Up to `largest` nodes; a third of all possible edges, so that chains, fans and islands all occur, and a few of them
/// that say only which node comes first.
pub fn dags(largest: usize) -> impl Strategy<Value = Dag> {
    let edge = prop_oneof![
        14 => Just(None),
        5 => Just(Some(Edge::Needs)),
        1 => Just(Some(Edge::StartsAfter)),
    ];
    (0..=largest).prop_flat_map(move |nodes| {
        vec(vec(edge.clone(), nodes), nodes).prop_map(|rows| {
            let blockers = |(node, row): (usize, &Vec<Option<Edge>>)| {
                (0..node).filter_map(|lower| Some((lower, row[lower]?))).collect()
            };
            rows.iter().enumerate().map(blockers).collect()
        })
    })
}

/// The graph with these edges, whose payloads are the nodes' numbers.
pub fn graph_of(dag: &Dag) -> Graph<usize> {
    let Ok(graph) = Graph::build(|g| {
        let mut nodes: Vec<Node<'_, usize>> = Vec::new();
        for (node, after) in dag.iter().enumerate() {
            let through = |wanted: Edge| -> Vec<_> {
                after.iter().filter(|(_, edge)| *edge == wanted).map(|&(lower, _)| nodes[lower]).collect()
            };
            let added = g.add(node, (through(Edge::Needs), starts_after(through(Edge::StartsAfter))));
            nodes.push(added);
        }
        Ok::<_, Infallible>(())
    });
    graph
}
