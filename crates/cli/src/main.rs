//! The `harbor-operator` binary.

mod command;
mod connect;
mod crds;
mod error;
mod expand;
mod fields;
mod graph;
mod input;
mod inputs_dir;
mod kinds;
mod known;
mod object;
mod operator;
mod output;
mod placeholder;
mod rbac;
mod reference;
mod render;
mod run;
#[cfg(feature = "sandbox")]
mod sandbox;
mod signals;
mod sources;
mod stored;
mod terminal;

use clap::Parser as _;
use std::process::ExitCode;

// Settings are in .cargo/config.toml.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match command::Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => terminal::fail(&failure),
    }
}
