//! Issuer and ClusterIssuer: whether they can sign.

use super::authority::{self, CLUSTER_NAMESPACE};
use crate::{
    condition::{Condition, with},
    kind::Kind,
    reconcile::Next,
    world::World,
    write::ReconcileError,
};
use kube::{ResourceExt as _, core::DynamicObject};
use pki::Authority;
use serde_json::json;

pub(crate) async fn reconcile(
    world: &World,
    kind: Kind,
    issuer: &DynamicObject,
) -> Result<Next, ReconcileError> {
    let annotated = world.annotated(issuer);
    let before = &issuer.data["status"]["conditions"];
    let generation = issuer.metadata.generation.unwrap_or_default();
    if before.is_null()
        && let Some(left) = world.remaining(issuer, "verify", annotated.delay)
    {
        return Ok(Next::After(left));
    }
    let found =
        annotated.failure.map_or_else(|| authority(world, kind, issuer), |message| Err(("Failed", message)));
    let ready = match &found {
        Ok(Authority::Itself) => Condition::new("Ready", true, "IsReady", ""),
        Ok(Authority::Other { .. }) => {
            Condition::new("Ready", true, "KeyPairVerified", "Signing CA verified")
        }
        Err((reason, message)) => Condition::new("Ready", false, reason, message),
    };
    let ready = with(ready.after(before, world.now()), "observedGeneration", generation);
    world.set_status(kind, issuer, json!({"conditions": [ready]})).await?;
    Ok(Next::Change)
}

/// The authority of an issuer, or the reason and message why it has none.
pub(crate) fn authority(
    world: &World,
    kind: Kind,
    issuer: &DynamicObject,
) -> Result<Authority, (&'static str, String)> {
    let spec = &issuer.data["spec"];
    if spec["selfSigned"].is_object() {
        return Ok(Authority::Itself);
    }
    let Some(name) = spec["ca"]["secretName"].as_str() else {
        return Err(("NotInSandbox", "only selfSigned and ca issuers work in the sandbox".to_owned()));
    };
    let own = issuer.namespace().unwrap_or_default();
    let namespace = if kind == Kind::ClusterIssuer { CLUSTER_NAMESPACE } else { &own };
    let Some(secret) = world.find(Kind::Secret, namespace, name) else {
        let message = format!("Error getting keypair for CA issuer: secrets {name:?} not found");
        return Err(("ErrGetKeyPair", message));
    };
    authority::from_secret(&secret)
        .map_err(|error| ("ErrInvalidKeyPair", format!("Error getting keypair for CA issuer: {error}")))
}
