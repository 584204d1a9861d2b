//! `render`: the objects that the operator would create, as text.

use crate::{
    offline::{OwnedObjects, Rendering, Sources},
    output::{Failure, Output, Printed, print},
};
use clap::Args;

/// Print the objects that the operator would create, without a cluster
///
/// Plans every object exactly as the operator would, with its reads answered from the given files, and prints its children
/// in the order in which the operator would apply them. If a Secret or ConfigMap that an object reads is missing, the
/// command reports it and prints no objects.
///
/// Give the operator's defaults here, too, as flags or in the same environment variables.
///
/// Secrets are printed as they are, so that the output can be applied. Protect the output: it contains Secrets. Values
/// that the operator generates are not printed; a comment names them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator render -f harbor.yaml --inputs secrets/
  harbor-operator render -f examples/in-cluster.yaml --recursive
  harbor-operator render -f harbor.yaml secrets.yaml --output json | jq .items
  kubectl get harbor acme -oyaml | harbor-operator render -f - --inputs secrets/")]
pub struct Render {
    #[command(flatten)]
    sources: Sources,

    /// Output format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
}

impl Render {
    /// Prints all children, or nothing.
    pub fn run(self) -> Result<(), Failure> {
        let Rendering { owners, errors, unmet } = self.sources.render(components::with_optional())?;
        Failure::unless_empty(errors.into_iter().chain(unmet).collect())?;
        let mut printed = Vec::new();
        for below in &owners {
            flatten(below, &mut printed);
        }
        Ok(print(&self.output.text(printed.into_iter())?)?)
    }
}

/// Children in order, each followed by its own.
fn flatten<'a>(below: &'a OwnedObjects, into: &mut Vec<Printed<'a>>) {
    for child in &below.children {
        into.extend(child.object.as_ref().map(|object| Printed { notes: &child.notes, object }));
        if let Some(below) = &child.below {
            flatten(below, into);
        }
    }
}
