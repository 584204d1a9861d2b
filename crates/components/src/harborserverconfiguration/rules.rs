//! The rules for images, which the operator checks whether or not it rewrites images.

use plan::PlanError;
use webhook::admission::{RuleError, Rules};

/// Refuses rules that the webhook could not use.
pub fn check(rules: &[String]) -> Result<(), PlanError> {
    let parsed = Rules::parse(rules.iter().map(String::as_str));
    parsed.map(drop).map_err(|RuleError { index, problem, remedy }| {
        PlanError::invalid(format!("spec.rules[{index}]"), problem, remedy)
    })
}
