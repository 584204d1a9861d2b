//! The `promtool` command.

use crate::{error::Failure, program::Program};
use std::{
    ffi::OsStr,
    io::{Seek as _, Write as _},
};

/// Runs `promtool` and returns its output. Fails with its error message.
pub fn promtool<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<String, Failure> {
    Program::Promtool.output(Program::Promtool.command()?.args(arguments))
}

/// The output of `promtool check metrics` for a text of metrics. It is empty if there is no problem.
pub fn check_metrics(text: &str) -> Result<String, Failure> {
    let written = || {
        let mut file = tempfile::tempfile()?;
        file.write_all(text.as_bytes())?;
        file.rewind()?;
        Ok(file)
    };
    let file = written().map_err(|source| Failure::File { path: "scraped metrics".into(), source })?;
    let mut command = Program::Promtool.command()?;
    let outcome = Program::Promtool.outcome(command.args(["check", "metrics"]).stdin(file))?;
    Ok(outcome.output + &outcome.complaints)
}
