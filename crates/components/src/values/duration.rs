//! Durations, in the units that Harbor reads.

use api::v1beta1::GoDuration;
use plan::PlanError;
use std::{fmt, time::Duration};

/// Whole seconds, rounded down. `field` is where the spec holds the duration.
pub(crate) fn whole_seconds(duration: &GoDuration, field: impl fmt::Display) -> Result<u64, PlanError> {
    parsed(duration, field).map(|duration| duration.as_secs())
}

/// The duration as written, which Go parses. `field` is where the spec holds it.
pub(crate) fn go_duration(duration: &GoDuration, field: impl fmt::Display) -> Result<&str, PlanError> {
    whole_seconds(duration, field).map(|_| duration.as_str())
}

/// Whole units, rounded up and at least one: Harbor reads zero as something else, often as its default.
pub(crate) fn whole_units(
    duration: &GoDuration,
    unit: Duration,
    field: impl fmt::Display,
) -> Result<u64, PlanError> {
    let units = parsed(duration, field)?.as_nanos().div_ceil(unit.as_nanos());
    Ok(u64::try_from(units).unwrap_or(u64::MAX).max(1))
}

fn parsed(duration: &GoDuration, field: impl fmt::Display) -> Result<Duration, PlanError> {
    duration.to_std().map_err(|_| {
        PlanError::invalid(
            field,
            format!("{:?} is not a duration", duration.as_str()),
            "write numbers with units, such as 90s or 1h30m",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_in_units_never_becomes_none() {
        let day = Duration::from_hours(24);
        for (text, days) in [("0s", 1), ("14h", 1), ("24h", 1), ("24h0m1ns", 2), ("720h", 30)] {
            assert_eq!(whole_units(&GoDuration::from(text), day, "x"), Ok(days), "{text}");
        }
    }
}
