//! `reference`: every field of every kind, as pages.

mod page;
mod words;

use crate::output::{Error, Failure};
use clap::Args;
use std::{fs, path::PathBuf};

/// Write a page per kind, and an index
#[derive(Debug, Args)]
#[command(
    hide = true,
    after_help = "\
Examples:
  harbor-operator reference --directory docs/reference"
)]
pub struct Reference {
    /// Directory to write the pages to; it must exist
    #[arg(long, value_name = "DIRECTORY")]
    directory: PathBuf,
}

impl Reference {
    /// Writes them all.
    pub fn run(self) -> Result<(), Failure> {
        let definitions = api::crds::all();
        let pages = definitions.iter().map(|definition| (page::file(definition), page::page(definition)));
        let index = (page::INDEX.to_owned(), page::index(&definitions));
        for (name, text) in pages.chain([index]) {
            let path = self.directory.join(name);
            fs::write(&path, text).map_err(|error| {
                let remedy = "name a directory that exists and can be written to";
                Error::input(path.display(), format!("cannot be written ({error})"), remedy)
            })?;
        }
        Ok(())
    }
}
