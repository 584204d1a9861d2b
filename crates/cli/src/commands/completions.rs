//! `completions`: scripts for shells.

use super::command;
use crate::output::{Failure, print};
use clap::Args;
use clap_complete::{Shell, generate};

/// Print the completion script of a shell
///
/// For the kubectl plugin, kubectl 1.26 or newer calls a program named kubectl_complete-harbor: link that name to this
/// program, too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(harbor-operator completions bash)
  harbor-operator completions zsh > \"${fpath[1]}/_harbor-operator\"
  harbor-operator completions fish | source")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut command(), "harbor-operator", &mut script);
        Ok(print(&String::from_utf8_lossy(&script))?)
    }
}
