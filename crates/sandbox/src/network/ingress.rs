//! Ingress: the address of its controller.

use crate::{kind::Kind, reconcile::Next, world::World, write::ReconcileError};
use kube::core::DynamicObject;
use serde_json::json;

/// The address of the only ingress controller.
const ADDRESS: &str = "172.18.0.100";

pub(crate) async fn reconcile(world: &World, ingress: &DynamicObject) -> Result<Next, ReconcileError> {
    let annotated = world.annotated(ingress);
    let addressed = ingress.data["status"]["loadBalancer"]["ingress"].is_array();
    if annotated.failure.is_some() {
        world.set_status(Kind::Ingress, ingress, json!({})).await?;
    } else if !addressed {
        if let Some(left) = world.remaining(ingress, "address", annotated.delay) {
            return Ok(Next::After(left));
        }
        let status = json!({"loadBalancer": {"ingress": [{"ip": ADDRESS}]}});
        world.set_status(Kind::Ingress, ingress, status).await?;
    }
    Ok(Next::Change)
}
