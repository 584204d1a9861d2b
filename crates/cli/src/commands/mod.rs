//! The command line: one file or folder per command.
//!
//! Uses: connect, flags, manifests, offline, operator, output, tree.

mod completions;
mod convert;
mod crds;
mod database;
mod graph;
mod plan;
mod plugin;
mod rbac;
mod reference;
mod render;
mod run;
#[cfg(feature = "sandbox")]
mod sandbox;
mod status;
mod version;

use crate::output::{Failure, print};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use plugin::Role;
use std::{env, process::ExitCode, sync::LazyLock};

/// The version of this build, with its commit if the build knows it.
static VERSION: LazyLock<String> = LazyLock::new(|| match version::COMMIT {
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

/// One variant per command, which is in the file of that name.
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(Box<run::Run>),
    #[cfg(feature = "sandbox")]
    Sandbox(sandbox::Sandbox),
    Render(render::Render),
    Graph(graph::Draw),
    Plan(plan::Plan),
    Status(status::Status),
    Convert(convert::Convert),
    Crds(crds::Crds),
    Database(database::Database),
    Rbac(rbac::Rbac),
    Reference(reference::Reference),
    Version(version::Version),
    Completions(completions::Completions),
}

/// The command line.
pub fn command() -> clap::Command {
    Cli::command()
}

impl Cli {
    /// Runs the command that the arguments of this process name, in the role that its name gives it.
    pub fn run() -> Result<ExitCode, Failure> {
        let role = Role::of(env::args_os().next());
        let command = role.adapt(command());
        if role == Role::Completer {
            let arguments: Vec<_> = env::args().skip(1).collect();
            print(&plugin::completions(command, &arguments))?;
            return Ok(ExitCode::SUCCESS);
        }
        match Self::from_arg_matches(&command.get_matches()) {
            Ok(cli) => cli.command.run(),
            Err(error) => error.exit(),
        }
    }
}

impl Command {
    /// Runs the command.
    fn run(self) -> Result<ExitCode, Failure> {
        let done = match self {
            Self::Run(run) => run.run(),
            #[cfg(feature = "sandbox")]
            Self::Sandbox(sandbox) => sandbox.run(),
            Self::Render(render) => render.run(),
            Self::Graph(draw) => draw.run(),
            Self::Plan(plan) => return plan.run(),
            Self::Status(status) => return status.run(),
            Self::Convert(convert) => convert.run(),
            Self::Crds(crds) => crds.run(),
            Self::Database(database) => database.run(),
            Self::Rbac(rbac) => rbac.run(),
            Self::Reference(reference) => reference.run(),
            Self::Version(version) => version.run(),
            Self::Completions(completions) => completions.run(),
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }

    #[test]
    fn examples_fit_a_terminal_so_that_they_can_be_copied() {
        for command in super::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines() {
                assert!(line.len() <= 80, "{}: {line}", command.get_name());
            }
        }
    }
}
