//! The dependency graph of what was rendered.

use super::renderer::OwnedObjects;
use graph::{Builder, Graph, Node};
use plan::ObjectKey;
use std::convert::Infallible;

/// One graph of all objects, labelled with kind and name. A child that waits for no other comes after its owner.
pub fn dependency_graph(owners: &[OwnedObjects]) -> Graph<String> {
    let built = Graph::build(|graph| {
        for below in owners {
            let owner = graph.add::<()>(label(&below.owner), ());
            add(graph, owner, below);
        }
        Ok::<_, Infallible>(())
    });
    match built {
        Ok(graph) => graph,
        Err(never) => match never {},
    }
}

fn add<'g>(graph: &mut Builder<'g, String>, owner: Node<'g, ()>, below: &OwnedObjects) {
    let mut nodes: Vec<Node<'g, ()>> = Vec::new();
    for child in &below.children {
        let after: Vec<_> = child.after.iter().map(|&index| nodes[index]).collect();
        let after = if after.is_empty() { vec![owner] } else { after };
        let node = graph.add::<()>(label(&child.key), after);
        nodes.push(node);
        if let Some(below) = &child.below {
            add(graph, node, below);
        }
    }
}

/// Kind and name of an object; of one that lives outside the cluster, also the system.
fn label(key: &ObjectKey) -> String {
    match key.system() {
        Some(system) => format!("{} {} in {system}", key.kind, key.name),
        None => format!("{} {}", key.kind, key.name),
    }
}
