//! `version`: the version of this program.

use crate::output::{Error, Failure, print};
use clap::{Args, ValueEnum};
use components::HarborVersion;
use serde_json::json;
use std::env::consts::{ARCH, OS};

/// Print the version, and the supported versions of Harbor
#[derive(Debug, Args)]
pub struct Version {
    /// Output format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "text")]
    output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Lines of text
    Text,
    /// A JSON object
    Json,
}

/// The commit of this build, if the build knows it.
pub const COMMIT: Option<&str> = option_env!("HARBOR_OPERATOR_COMMIT");

impl Version {
    /// Prints the version.
    pub fn run(self) -> Result<(), Failure> {
        let version = env!("CARGO_PKG_VERSION");
        let (oldest, newest) = HarborVersion::supported();
        let target = format!("{ARCH}-{OS}{}", libc());
        let text = match self.output {
            Output::Text => {
                let commit = COMMIT.unwrap_or("unknown");
                format!(
                    "harbor-operator {version}\ncommit          {commit}\nHarbor          {oldest} to {newest}\ntarget          {target}\n"
                )
            }
            Output::Json => {
                let facts = json!({
                    "version": version,
                    "commit": COMMIT,
                    "harbor": {"oldest": oldest, "newest": newest},
                    "target": target,
                });
                let text = serde_json::to_string_pretty(&facts);
                let text = text.map_err(|error| Error::Encode {
                    object: "the version".into(),
                    problem: error.to_string(),
                })?;
                text + "\n"
            }
        };
        Ok(print(&text)?)
    }
}

/// The C library that it is built for.
fn libc() -> &'static str {
    if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "gnu") {
        "-gnu"
    } else {
        ""
    }
}
