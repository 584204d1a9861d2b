//! The `harbor-operator` binary.

mod commands;
mod connect;
mod flags;
mod manifests;
mod offline;
mod operator;
mod output;
mod tree;

use std::process::ExitCode;

// Settings are in .cargo/config.toml.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match commands::Cli::run() {
        Ok(code) => code,
        Err(failure) => output::fail(&failure),
    }
}
