//! `convert`: manifests of v1alpha3 as v1beta1.

use crate::{
    manifests::{Object, read_objects},
    offline::unknown_fields,
    output::{Error, Failure, Output, Printed, print, warn},
};
use api::conversion::{Version, convert};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

/// Convert manifests of v1alpha3 to v1beta1
///
/// Prints all objects of the files, with those of goharbor.io/v1alpha3 as goharbor.io/v1beta1. Other objects stay as they
/// are. Comments are not kept. If an object cannot be converted, the command reports why and prints no objects.
///
/// Needs no cluster. Secrets in the files are printed as they are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator convert -f harbor.yaml > converted.yaml
  harbor-operator convert -f manifests/
  kubectl kustomize . | harbor-operator convert -f - | kubectl diff -f -")]
pub struct Convert {
    /// YAML or JSON file with objects, or a directory of such files; - is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,

    /// Output format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
}

impl Convert {
    /// Prints all objects, or nothing.
    pub fn run(self) -> Result<(), Failure> {
        let mut converted = Vec::new();
        let mut errors = Vec::new();
        for object in read_objects(&self.files)? {
            match one(object) {
                Ok(object) => converted.push(object),
                Err(error) => errors.push(error),
            }
        }
        Failure::unless_empty(errors)?;
        let printed = converted.iter().map(|object| Printed { notes: &[], object });
        Ok(print(&self.output.text(printed)?)?)
    }
}

/// The object in v1beta1, or as it is if it never had another version.
fn one(object: Object) -> Result<Value, Error> {
    let is_old = object.json["apiVersion"].as_str().and_then(Version::of) == Some(Version::V1alpha3);
    if !is_old {
        return Ok(object.json);
    }
    let place = object.place();
    let converted = convert(object.json, Version::V1beta1)
        .map_err(|error| Error::Object { object: place.clone(), problem: error.to_string() })?;
    for field in unknown_fields(&object.key, Version::V1beta1.name(), &converted) {
        let kind = &object.key.kind;
        warn(format_args!("{place}: {field} is not a field of {kind}; the API server drops it"));
    }
    Ok(converted)
}
