//! What Prometheus thinks.

use crate::{error::Failure, program::Program};
use std::ffi::OsStr;

/// What `promtool` prints; fails with its words.
pub fn promtool<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<String, Failure> {
    Program::Promtool.output(Program::Promtool.command()?.args(arguments))
}
