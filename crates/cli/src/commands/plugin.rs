//! The same program as a kubectl plugin: `kubectl harbor …`, if its file is named `kubectl-harbor`.

use clap::Command;
use std::{ffi::OsString, path::Path};

/// Name as a program.
const OWN_NAME: &str = "harbor-operator";
/// Name as a plugin.
const PLUGIN: &str = "kubectl harbor";
/// Commands hidden from plugin users.
const HIDDEN: [&str; 4] = ["run", "sandbox", "crds", "database"];

/// How the program was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// As a program.
    Program,
    /// As a plugin of kubectl.
    Plugin,
    /// As the program that completes command lines of the plugin for kubectl.
    Completer,
}

impl Role {
    /// The role for the name under which the program was started.
    pub fn of(name: Option<OsString>) -> Self {
        let name = name.unwrap_or_default();
        match Path::new(&name).file_stem().and_then(|stem| stem.to_str()) {
            Some("kubectl-harbor") => Self::Plugin,
            Some("kubectl_complete-harbor") => Self::Completer,
            _ => Self::Program,
        }
    }

    /// The command line, with the name and the commands of this role.
    pub fn adapt(self, command: Command) -> Command {
        match self {
            Self::Program => command,
            Self::Plugin | Self::Completer => {
                let command = command.name("kubectl-harbor").bin_name(PLUGIN);
                command.mut_subcommands(|subcommand| {
                    let hidden = subcommand.is_hide_set() || HIDDEN.contains(&subcommand.get_name());
                    renamed(subcommand).hide(hidden)
                })
            }
        }
    }
}

fn renamed(command: Command) -> Command {
    let words = |text: Option<&clap::builder::StyledStr>| {
        text.map(|text| text.ansi().to_string().replace(OWN_NAME, PLUGIN))
    };
    let after = words(command.get_after_help());
    let long = words(command.get_long_about());
    let command = match after {
        Some(after) => command.after_help(after),
        None => command,
    };
    match long {
        Some(long) => command.long_about(long),
        None => command,
    }
}

/// Completions of the last argument, as kubectl reads them: one per line, then a directive.
pub fn completions(mut command: Command, arguments: &[String]) -> String {
    command.build();
    let (last, before) =
        arguments.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let mut current = &command;
    for argument in before {
        current = current.find_subcommand(argument).unwrap_or(current);
    }
    let subcommands = current.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    let subcommands = subcommands.map(|subcommand| subcommand.get_name().to_owned());
    let flags = current.get_arguments().filter(|argument| !argument.is_hide_set());
    let flags = flags.filter_map(|argument| argument.get_long().map(|long| format!("--{long}")));
    let fitting: Vec<_> = if last.starts_with('-') {
        flags.filter(|flag| flag.starts_with(last)).collect()
    } else {
        subcommands.filter(|name| name.starts_with(last)).collect()
    };
    // Without a completion, the shell completes file names, as after --file.
    let directive = if fitting.is_empty() { ":0" } else { ":4" };
    let mut text: String = fitting.into_iter().map(|word| word + "\n").collect();
    text += directive;
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::command;

    #[test]
    fn the_role_follows_from_the_name() {
        let roles = ["/usr/bin/kubectl-harbor", "kubectl_complete-harbor", "harbor-operator", ""]
            .map(|name| Role::of(Some(name.into())));
        assert_eq!(roles, [Role::Plugin, Role::Completer, Role::Program, Role::Program]);
        assert_eq!(Role::of(None), Role::Program);
    }

    #[test]
    fn the_help_of_the_plugin_names_kubectl() {
        let mut command = Role::Plugin.adapt(command());
        let help = command.render_long_help().to_string();
        assert!(help.contains("kubectl harbor") && !help.contains("sandbox"), "{help}");
        let status = command.find_subcommand_mut("status").unwrap().render_long_help().to_string();
        assert!(status.contains("kubectl harbor status acme --namespace registry"), "{status}");
        assert!(!status.contains("harbor-operator"), "{status}");
    }

    #[test]
    fn kubectl_gets_completions_and_a_directive() {
        let completed = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
            completions(Role::Completer.adapt(command()), &arguments)
        };
        assert_eq!(completed(&["stat"]), "status\n:4\n");
        assert_eq!(completed(&["status", "--wa"]), "--watch\n:4\n");
        assert_eq!(completed(&["plan", "-f", "har"]), ":0\n");
    }
}
