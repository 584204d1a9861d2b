//! `crds`: the custom resource definitions, as files.

use crate::{
    error::{Error, Failure},
    output::{Output, Printed},
    terminal,
};
use clap::Args;

/// Print the custom resource definitions to install
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator crds | kubectl apply --server-side -f -
  harbor-operator crds --output json > crds.json")]
pub struct Crds {
    /// How to write the definitions
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
}

impl Crds {
    /// Prints them all.
    pub fn run(self) -> Result<(), Failure> {
        let definitions = api::crds::all();
        let objects = definitions.iter().map(|definition| {
            serde_json::to_value(definition).map_err(|error| Error::Encode {
                object: definition.metadata.name.clone().unwrap_or_default(),
                problem: error.to_string(),
            })
        });
        let objects = objects.collect::<Result<Vec<_>, _>>()?;
        let printed = objects.iter().map(|object| Printed { notes: &[], object });
        Ok(terminal::print(&self.output.text(printed)?)?)
    }
}
