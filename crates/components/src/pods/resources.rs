//! Compute resources of containers.

use k8s_openapi::api::core::v1::ResourceRequirements;
use plan::PlanError;
use std::fmt;

/// Refuses claims of devices: a container can only name those of its pod, and no pod made for a Harbor has any.
/// `field` is what the resources are in.
pub(crate) fn check_resource_claims(
    wished: Option<&ResourceRequirements>,
    field: impl fmt::Display,
) -> Result<(), PlanError> {
    match wished.and_then(|resources| resources.claims.as_ref()) {
        Some(claims) if !claims.is_empty() => Err(PlanError::invalid(
            format_args!("{field}.resources.claims"),
            "is set, but the pods have no resource claims that it could name",
            "remove it",
        )),
        _ => Ok(()),
    }
}
