//! `graph`: draws the objects that the operator would create.

use crate::{
    offline::{Rendering, Sources, dependency_graph},
    output::{Failure, print},
};
use clap::{Args, ValueEnum};
use graph::Graph;

/// Draw the objects that the operator would create, and their order
///
/// In a tree, an object is below the objects that it waits for; "see below" stands for one that is drawn further down, below the
/// last of them. In the other formats, arrows point from an object to those that wait until it is ready. Some wait only while the
/// version of the Harbor changes: Core gets it first.
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
    /// Draws all objects in one graph, also if Secrets or ConfigMaps that pods need are missing.
    pub fn run(self) -> Result<(), Failure> {
        let Rendering { owners, errors, unmet: _ } = self.sources.render(components::with_optional())?;
        Failure::unless_empty(errors)?;
        Ok(print(&self.format.draw(&dependency_graph(&owners)))?)
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
