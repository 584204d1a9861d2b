//! `graph`: what the operator would create, as a picture.

use crate::{
    error::Failure,
    expand::Expansion,
    sources::{Expanded, Sources},
    terminal,
};
use clap::{Args, ValueEnum};
use graph::{Builder, Graph, Node};
use plan::ObjectKey;
use std::convert::Infallible;

/// Draw what the operator would create for an object, and in which order
///
/// Arrows point from what comes first to what waits for it until it is ready.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator graph -f harbor.yaml --inputs secrets/
  harbor-operator graph -f examples/in-cluster.yaml --recursive
  harbor-operator graph -f harbor.yaml --format dot | dot -Tsvg > harbor.svg")]
pub struct Draw {
    #[command(flatten)]
    sources: Sources,

    /// How to draw
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "tree")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Graphviz source
    Dot,
    /// Mermaid flowchart
    Mermaid,
    /// Tree for the terminal
    Tree,
}

impl Draw {
    /// Draws all objects in one picture. What pods would not find is no reason not to.
    pub fn run(self) -> Result<(), Failure> {
        let Expanded { expansions, errors, unmet: _ } = self.sources.expand(components::all())?;
        Failure::unless_empty(errors)?;
        Ok(terminal::print(&self.format.draw(&picture(&expansions)))?)
    }
}

impl Format {
    fn draw(self, graph: &Graph<String>) -> String {
        match self {
            Self::Dot => graph.to_dot(Clone::clone),
            Self::Mermaid => graph.to_mermaid(Clone::clone),
            Self::Tree => graph.to_tree(Clone::clone),
        }
    }
}

/// One graph of all objects. A child that waits for no other waits for its owner: it is planned from it.
pub fn picture(expansions: &[Expansion]) -> Graph<String> {
    let built = Graph::build(|graph| {
        for expansion in expansions {
            let owner = graph.add::<()>(label(&expansion.owner), ());
            add(graph, owner, expansion);
        }
        Ok::<_, Infallible>(())
    });
    match built {
        Ok(graph) => graph,
        Err(never) => match never {},
    }
}

fn add<'g>(graph: &mut Builder<'g, String>, owner: Node<'g, ()>, expansion: &Expansion) {
    let mut nodes: Vec<Node<'g, ()>> = Vec::new();
    for child in &expansion.children {
        let after: Vec<_> = child.after.iter().map(|&index| nodes[index]).collect();
        let after = if after.is_empty() { vec![owner] } else { after };
        let node = graph.add::<()>(label(&child.key), after);
        nodes.push(node);
        if let Some(expansion) = &child.expansion {
            add(graph, node, expansion);
        }
    }
}

fn label(key: &ObjectKey) -> String {
    format!("{} {}", key.kind, key.name)
}
