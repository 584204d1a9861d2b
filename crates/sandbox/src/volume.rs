//! Claims: a volume for each, and an end for those nobody uses.

use crate::{dependents::claims, kind::Kind, react::Next, world::World, write::ReactError};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::json;

/// Keeps a claim that a pod uses; taking it away is the work of a controller.
const PROTECTION: &str = "kubernetes.io/pvc-protection";

pub(crate) async fn react(world: &World, claim: &DynamicObject) -> Result<Next, ReactError> {
    let kind = Kind::PersistentVolumeClaim;
    let namespace = claim.namespace().unwrap_or_default();
    if claim.metadata.deletion_timestamp.is_some() {
        let name = claim.name_any();
        let used = world.list(Kind::Pod, &namespace).iter().any(|pod| claims(pod).any(|used| used == name));
        if !used {
            world.release(kind, claim, PROTECTION).await?;
        }
        return Ok(Next::Change);
    }
    if claim.data["status"]["phase"] == "Lost" {
        return Ok(Next::Change);
    }
    let told = world.told(claim);
    let bound = claim.data["status"]["phase"] == "Bound";
    if told.failure.is_some() && !bound {
        world.set_status(kind, claim, json!({"phase": "Pending"})).await?;
        return Ok(Next::Change);
    }
    if let Some(left) = world.remaining(claim, "bind", told.delay).filter(|_| !bound) {
        return Ok(Next::After(left));
    }
    let spec = &claim.data["spec"];
    if spec["volumeName"].as_str().is_none_or(str::is_empty) {
        let volume = json!({
            "metadata": {"annotations": {
                "pv.kubernetes.io/bind-completed": "yes",
                "pv.kubernetes.io/bound-by-controller": "yes",
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
