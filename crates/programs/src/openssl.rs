//! The `openssl` command.

use crate::{error::Failure, program::Program};
use std::ffi::OsStr;

/// Runs `openssl` and returns its output. Fails with its error message.
pub fn openssl<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<String, Failure> {
    Program::Openssl.output(Program::Openssl.command()?.args(arguments))
}
