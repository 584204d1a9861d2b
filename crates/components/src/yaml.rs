//! Configuration files in YAML, as Go's parser of YAML 1.1 reads them.

use plan::PlanError;
use serde::Serialize;

/// The file. Words such as `on`, which are not text in YAML 1.1, are quoted; long values stay on one line.
pub(crate) fn text(config: &impl Serialize) -> Result<String, PlanError> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: 100_000 };
    serde_saphyr::to_string_with_options(config, options).map_err(|_| {
        PlanError::invalid("spec", "cannot be written as a configuration file", "report it as a defect")
    })
}
