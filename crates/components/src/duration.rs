//! Durations, as Harbor reads them.

use api::v1beta1::GoDuration;
use plan::PlanError;

/// Whole seconds, rounded down. `field` is where the spec holds the duration.
pub(crate) fn seconds(duration: &GoDuration, field: impl std::fmt::Display) -> Result<u64, PlanError> {
    duration.to_std().map(|duration| duration.as_secs()).map_err(|_| {
        PlanError::invalid(
            field,
            format!("{:?} is not a duration", duration.as_str()),
            "write numbers with units, such as 90s or 1h30m",
        )
    })
}
