//! Ingress: the address of its controller.

use crate::{kind::Kind, react::Next, world::World, write::ReactError};
use kube::core::DynamicObject;
use serde_json::json;

/// The address of the only ingress controller.
const ADDRESS: &str = "172.18.0.100";

pub(crate) async fn react(world: &World, ingress: &DynamicObject) -> Result<Next, ReactError> {
    let told = world.told(ingress);
    let addressed = ingress.data["status"]["loadBalancer"]["ingress"].is_array();
    if told.failure.is_some() {
        world.set_status(Kind::Ingress, ingress, json!({})).await?;
    } else if !addressed {
        if let Some(left) = world.remaining(ingress, "address", told.delay) {
            return Ok(Next::After(left));
        }
        let status = json!({"loadBalancer": {"ingress": [{"ip": ADDRESS}]}});
        world.set_status(Kind::Ingress, ingress, status).await?;
    }
    Ok(Next::Change)
}
