//! YAML: configuration files as Go's parser of YAML 1.1 reads them, and values that users write.

mod budget;

use super::fault::Fault;
use plan::PlanError;
use serde::Serialize;
use serde_json::Value;
use serde_saphyr::{DeserializeError, Options, budget::BudgetBreach};

/// A configuration file. Words such as `on`, which YAML 1.1 does not read as text, are quoted; long values stay
/// on one line.
pub(crate) fn to_yaml(config: &impl Serialize) -> Result<String, PlanError> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 100_000 };
    serde_saphyr::to_string_with_options(config, options).map_err(|_| {
        PlanError::invalid("spec", "cannot be written as a configuration file", "report it as a defect")
    })
}

/// A value that a user wrote in YAML, parsed within a [budget].
///
/// The content of an object must not slow planning down: anchors, aliases and merge keys, with which a short
/// text expands to a long one, are refused at their first occurrence.
pub(crate) fn parse_yaml(text: &str) -> Result<Value, Fault> {
    read(text, budget::options())
}

fn read(text: &str, options: Options) -> Result<Value, Fault> {
    if text.len() > budget::BYTES {
        return Err(too_large());
    }
    serde_saphyr::from_str_with_options(text, options).map_err(|error| fault(&error))
}

/// What is wrong. The message quotes nothing: the text may be a secret.
fn fault(error: &DeserializeError) -> Fault {
    use BudgetBreach::{Aliases, Anchors, Depth, Events, MergeKeys, Nodes, ScalarBytes};
    match error {
        DeserializeError::MergeKeyNotAllowed { .. }
        | DeserializeError::UnknownAnchor { .. }
        | DeserializeError::Budget { breach: Aliases { .. } | Anchors { .. } | MergeKeys { .. }, .. } => {
            Fault::new(
                "has an anchor, an alias or a merge key of YAML",
                "write the value out in full, or put a text that begins with & or * into double quotes",
            )
        }
        DeserializeError::Budget {
            breach: Depth { .. } | Events { .. } | Nodes { .. } | ScalarBytes { .. },
            ..
        } => too_large(),
        _ => Fault::new("is not YAML", "put the text into double quotes"),
    }
}

fn too_large() -> Fault {
    Fault::new(
        format!("is larger than a setting can be, or nested deeper than {} levels", budget::DEPTH),
        "write a shorter and flatter value",
    )
}

#[cfg(test)]
mod tests;
