//! Random acyclic graphs: for every node the lower nodes it waits for.

use graph::{Graph, Node};
use proptest::{collection::vec, prelude::*};
use std::convert::Infallible;

/// Up to `largest` nodes; a third of all possible edges, so that chains, fans and islands all occur.
pub fn dags(largest: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
    (0..=largest).prop_flat_map(|nodes| {
        vec(vec(prop::bool::weighted(0.3), nodes), nodes).prop_map(|rows| {
            let blockers = |(node, row): (usize, &Vec<bool>)| (0..node).filter(|&lower| row[lower]).collect();
            rows.iter().enumerate().map(blockers).collect()
        })
    })
}

/// The graph with these edges, whose payloads are the nodes' numbers.
pub fn graph_of(dag: &[Vec<usize>]) -> Graph<usize> {
    let Ok(graph) = Graph::build(|g| {
        let mut nodes: Vec<Node<'_, usize>> = Vec::new();
        for (node, after) in dag.iter().enumerate() {
            let after: Vec<_> = after.iter().map(|&blocker| nodes[blocker]).collect();
            nodes.push(g.add(node, after));
        }
        Ok::<_, Infallible>(())
    });
    graph
}
