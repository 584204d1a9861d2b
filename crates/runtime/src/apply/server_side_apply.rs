//! Server-side apply of one object, including nested objects that become empty.

use super::amend::amend;
use crate::{ReconcileError, cluster::addressable, error::Verb};
use kube::{
    Api,
    api::{Patch, PatchParams},
    core::DynamicObject,
};
use plan::{ObjectKey, managed_fields};
use serde_json::{Value, json};

/// Applies an object as `manager`. Forces conflicts: the manager takes over fields whose values differ.
///
/// Sends one request, and up to three more if nested objects become empty.
///
/// # Errors
///
/// When a request is refused or gets no answer.
pub async fn server_side_apply(
    api: &Api<DynamicObject>,
    key: &ObjectKey,
    manager: &str,
    object: &Value,
) -> Result<DynamicObject, ReconcileError> {
    addressable(key)?;
    let applied = apply(api, key, manager, object).await;
    if !managed_fields::has_empty(object) {
        return applied;
    }
    match applied {
        Err(ReconcileError::Refused { status, .. })
            if status.code == 422 && make_way(api, key, manager, object).await? =>
        {
            apply(api, key, manager, object).await
        }
        Ok(stored) if managed_fields::is_lost(object, &value(&stored)?) => {
            apply(api, key, manager, object).await
        }
        applied => applied,
    }
}

/// An object as JSON.
fn value(stored: &DynamicObject) -> Result<Value, ReconcileError> {
    serde_json::to_value(stored).map_err(|error| ReconcileError::Bug(error.to_string()))
}

async fn apply(
    api: &Api<DynamicObject>,
    key: &ObjectKey,
    manager: &str,
    object: &Value,
) -> Result<DynamicObject, ReconcileError> {
    let params = PatchParams::apply(manager).force();
    let sent = api.patch(&key.name, &params, &Patch::Apply(object)).await;
    let stored = sent.map_err(|error| ReconcileError::api(Verb::Apply, key, error))?;
    tracing::debug!(object = %key, "applied");
    Ok(stored)
}

/// Removes the fields that prevent nested objects from becoming empty, and returns whether there were any.
async fn make_way(
    api: &Api<DynamicObject>,
    key: &ObjectKey,
    manager: &str,
    object: &Value,
) -> Result<bool, ReconcileError> {
    let failed = |error| ReconcileError::api(Verb::Apply, key, error);
    let Some(stored) = api.get_opt(&key.name).await.map_err(failed)? else { return Ok(false) };
    let removed = managed_fields::in_the_way(object, &stored.metadata, &value(&stored)?, manager);
    if removed.is_empty() {
        return Ok(false);
    }
    let version = stored.metadata.resource_version.as_deref();
    let removals = removed.iter().map(|path| json!({"op": "remove", "path": path}));
    amend(api, (Verb::Apply, key), manager, version, removals).await?;
    tracing::debug!(object = %key, ?removed, "removed fields of a nested object that becomes empty");
    Ok(true)
}
