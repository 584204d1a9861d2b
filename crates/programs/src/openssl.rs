//! What openssl thinks.

use crate::{error::Failure, program::Program};
use std::ffi::OsStr;

/// What `openssl` prints; fails with its words.
pub fn openssl<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Result<String, Failure> {
    Program::Openssl.output(Program::Openssl.command()?.args(arguments))
}
