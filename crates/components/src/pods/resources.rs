//! Compute resources of containers.

use k8s_openapi::api::core::v1::ResourceRequirements;
use plan::PlanError;
use std::fmt;

/// Refuses resource claims: a container can only name those of its pod, and the operator creates no pod with
/// any. `field` is the parent of `resources`.
pub(crate) fn check_resource_claims(
    requested: Option<&ResourceRequirements>,
    field: impl fmt::Display,
) -> Result<(), PlanError> {
    match requested.and_then(|resources| resources.claims.as_ref()) {
        Some(claims) if !claims.is_empty() => Err(PlanError::invalid(
            format_args!("{field}.resources.claims"),
            "is set, but the pods have no resource claims that it could name",
            "remove it",
        )),
        _ => Ok(()),
    }
}
