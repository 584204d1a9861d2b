//! Whether the pods of a Deployment are gone, or serve.

use k8s_openapi::api::apps::v1::Deployment;
use plan::{PlanError, World};

/// Whether no pod of a Deployment runs or is about to, except for pods that are terminating and get no requests.
pub(crate) fn is_stopped(deployment: &str, world: &World<'_>) -> Result<bool, PlanError> {
    let Some(pods) = world.with_status::<Deployment>(deployment)? else { return Ok(true) };
    let status = pods.status.unwrap_or_default();
    let observed = status.observed_generation >= pods.metadata.generation;
    let wanted = pods.spec.and_then(|spec| spec.replicas);
    Ok(observed && wanted == Some(0) && status.replicas.unwrap_or(0) == 0)
}

/// Whether a pod of a Deployment serves.
pub(crate) fn is_available(deployment: &str, world: &World<'_>) -> Result<bool, PlanError> {
    let status = world.with_status::<Deployment>(deployment)?.and_then(|pods| pods.status);
    Ok(status.and_then(|status| status.available_replicas).unwrap_or(0) > 0)
}
