//! The log of the process.

use clap::ValueEnum;
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// How the log is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Log {
    /// A line of text for people
    Text,
    /// An object a line for programs
    Json,
}

impl Log {
    /// Writes it to standard error from now on.
    pub fn start(self) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,kube=warn"));
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        match self {
            Self::Text => log.with_ansi(std::io::stderr().is_terminal()).init(),
            Self::Json => log.json().init(),
        }
    }
}
