//! Claims: binds each to a volume, and removes the protection of deleted claims that no pod uses.

use crate::{dependents::claims, kind::Kind, reconcile::Next, world::World, write::ReconcileError};
use api::names::{BIND_COMPLETED_ANNOTATION, BOUND_BY_CONTROLLER_ANNOTATION, CLAIM_PROTECTION_FINALIZER};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::json;

pub(crate) async fn reconcile(world: &World, claim: &DynamicObject) -> Result<Next, ReconcileError> {
    let kind = Kind::PersistentVolumeClaim;
    let namespace = claim.namespace().unwrap_or_default();
    if claim.metadata.deletion_timestamp.is_some() {
        let name = claim.name_any();
        let used = world.list(Kind::Pod, &namespace).iter().any(|pod| claims(pod).any(|used| used == name));
        if !used {
            world.release(kind, claim, CLAIM_PROTECTION_FINALIZER).await?;
        }
        return Ok(Next::Change);
    }
    if claim.data["status"]["phase"] == "Lost" {
        return Ok(Next::Change);
    }
    let annotated = world.annotated(claim);
    let bound = claim.data["status"]["phase"] == "Bound";
    if annotated.failure.is_some() && !bound {
        world.set_status(kind, claim, json!({"phase": "Pending"})).await?;
        return Ok(Next::Change);
    }
    if let Some(left) = world.remaining(claim, "bind", annotated.delay).filter(|_| !bound) {
        return Ok(Next::After(left));
    }
    let spec = &claim.data["spec"];
    if spec["volumeName"].as_str().is_none_or(str::is_empty) {
        let volume = json!({
            "metadata": {"annotations": {
                BIND_COMPLETED_ANNOTATION: "yes",
                BOUND_BY_CONTROLLER_ANNOTATION: "yes",
            }},
            "spec": {"volumeName": format!("pvc-{}", claim.uid().unwrap_or_default())},
        });
        world.amend(kind, claim, volume).await?;
        return Ok(Next::Change);
    }
    let status = json!({
        "phase": "Bound",
        "accessModes": spec["accessModes"],
        "capacity": {"storage": spec["resources"]["requests"]["storage"]},
    });
    world.set_status(kind, claim, status).await?;
    Ok(Next::Change)
}
