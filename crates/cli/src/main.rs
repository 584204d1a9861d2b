//! The `harbor-operator` binary.

mod apply;
mod class;
mod command;
mod completions;
mod connect;
mod crds;
mod error;
mod expand;
mod fields;
mod graph;
mod input;
mod inputs_dir;
mod known;
mod manifests;
mod namespace;
mod object;
mod operator;
mod output;
mod page;
mod plan;
mod plan_offline;
mod plugin;
mod rbac;
mod reference;
mod render;
mod run;
#[cfg(feature = "sandbox")]
mod sandbox;
mod signals;
mod sources;
mod status;
mod stored;
mod target;
mod terminal;
mod tree;
mod version;

use std::process::ExitCode;

// Settings are in .cargo/config.toml.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match command::Cli::run() {
        Ok(code) => code,
        Err(failure) => terminal::fail(&failure),
    }
}
