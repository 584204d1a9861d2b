//! What Prometheus thinks.

use crate::{error::Failure, program::Program};
use std::{
    ffi::OsStr,
    io::{Seek as _, Write as _},
};

/// What `promtool` prints; fails with its words.
pub fn promtool<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<String, Failure> {
    Program::Promtool.output(Program::Promtool.command()?.args(arguments))
}

/// What `promtool check metrics` says of a scraped text: nothing, if all is well.
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
