//! Command lines that the pages show.

use crate::{
    markdown::{Block, Page},
    tree::pages,
};
use std::process::Command;

const PROGRAM: &str = "harbor-operator ";

/// The command lines in a block, from the name of the program on, without what the shell keeps for itself.
fn command_lines(block: &Block) -> Vec<String> {
    if !matches!(block.language.as_str(), "sh" | "console" | "bash") {
        return Vec::new();
    }
    let joined = block.text.replace("\\\n", " ");
    let typed = joined.lines().filter_map(|line| match block.language.as_str() {
        "console" => line.strip_prefix("$ "),
        _ => Some(line),
    });
    let commands = typed.flat_map(|line| {
        let line = line.split(" #").next().unwrap_or_default();
        line.split(['|', ';', '&', '>', '(', ')']).map(str::trim).collect::<Vec<_>>()
    });
    commands.filter(|command| command.starts_with(PROGRAM)).map(ToOwned::to_owned).collect()
}

/// The error of a command line, with `--help` appended: the program parses the arguments before it.
fn complaint(command: &str) -> Option<String> {
    let words = command.split_whitespace().skip(1).filter(|word| *word != "…");
    let output =
        Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(words).arg("--help").output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

fn wrong(page: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    for block in &page.blocks {
        for command in command_lines(block) {
            if let Some(complaint) = complaint(&command) {
                wrong.push(format!("{}:{}: {command}: {complaint}", page.path.display(), block.line));
            }
        }
    }
    wrong
}

#[test]
fn every_command_line_is_understood() {
    let wrong: Vec<_> = pages().iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_command_line_that_is_wrong_would_be_found() {
    for command in ["harbor-operator undo", "harbor-operator crds --undo", "harbor-operator crds -o paper"] {
        assert!(complaint(command).is_some(), "{command}");
    }
    let text = "```console\n$ sudo true && harbor-operator crds \\\n    --undo | kubectl apply -f -\n```\n";
    let page = Page::new("page.md".into(), text);
    assert_eq!(wrong(&page).len(), 1);
}
