//! The command line.

#[cfg(feature = "sandbox")]
use crate::sandbox;
use crate::{crds, error::Failure, graph, rbac, reference, render, run};
use clap::{Parser, Subcommand};
use std::sync::LazyLock;

/// The version of this build, with the commit it was built from where the build knows it.
static VERSION: LazyLock<String> = LazyLock::new(|| match option_env!("HARBOR_OPERATOR_COMMIT") {
    Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    None => env!("CARGO_PKG_VERSION").to_owned(),
});

/// Installs and runs Harbor on Kubernetes.
#[derive(Debug, Parser)]
#[command(name = "harbor-operator", version = VERSION.as_str(), max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// One variant per command; its help, its arguments and what it does are in the file of that name.
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(run::Run),
    #[cfg(feature = "sandbox")]
    Sandbox(sandbox::Sandbox),
    Render(render::Render),
    Graph(graph::Draw),
    Crds(crds::Crds),
    Rbac(rbac::Rbac),
    Reference(reference::Reference),
}

impl Command {
    /// Does what was asked for.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Self::Run(run) => run.run(),
            #[cfg(feature = "sandbox")]
            Self::Sandbox(sandbox) => sandbox.run(),
            Self::Render(render) => render.run(),
            Self::Graph(draw) => draw.run(),
            Self::Crds(crds) => crds.run(),
            Self::Rbac(rbac) => rbac.run(),
            Self::Reference(reference) => reference.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
