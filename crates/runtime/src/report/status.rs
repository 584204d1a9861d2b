//! Writes the status of an owner.

use crate::{ReconcileError, cluster::api_of, error::Verb};
use api::v1beta1::OperatorStatus;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
    core::{ApiResource, DynamicObject},
};
use plan::{ObjectKey, Status};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How often minor differences are written while children become ready. Otherwise a dozen children would cause a dozen
/// writes.
const DETAILS: Duration = Duration::from_secs(10);

/// The last written status, which a lagging watch may not have delivered yet.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    uid: String,
    resource_version: u64,
    status: Status,
}

/// The status of an owner before this reconcile: the stored one, unless the operator has written a newer one.
pub(crate) fn previous_status(owner: &DynamicObject, written: Option<&Written>) -> Status {
    let meta = &owner.metadata;
    let version = meta.resource_version.as_deref().unwrap_or_default().parse();
    if let Some(written) = written
        && Some(written.uid.as_str()) == meta.uid.as_deref()
        && version.is_ok_and(|seen: u64| seen <= written.resource_version)
    {
        return written.status.clone();
    }
    // A status that cannot be decoded counts as empty.
    owner
        .data
        .get("status")
        .and_then(|status| serde_json::from_value(status.clone()).ok())
        .unwrap_or_default()
}

/// How long the first status of a child may wait while its children are not ready yet: most are ready by then, and a
/// problem is written at once.
pub(crate) const FIRST_STATUS: Duration = Duration::from_secs(2);

/// How long minor differences must wait after a status that was written then; `None` if they need not.
pub(crate) fn until_next_details(written: Instant) -> Option<Duration> {
    DETAILS.checked_sub(written.elapsed()).filter(|wait| !wait.is_zero())
}

/// The version of the operator, for the status.
pub(crate) fn operator_status(controller: &str) -> OperatorStatus {
    OperatorStatus {
        controller_git_commit: Some(option_env!("HARBOR_OPERATOR_COMMIT").unwrap_or("unknown").into()),
        controller_version: Some(env!("CARGO_PKG_VERSION").into()),
        controller_name: Some(controller.into()),
    }
}

/// Writes a status. `None` if the object no longer exists, which is no failure.
pub(crate) async fn write_status(
    client: &Client,
    resource: &ApiResource,
    key: &ObjectKey,
    manager: &str,
    mut status: Status,
) -> Result<Option<Written>, ReconcileError> {
    // Server-side apply removes a field that is no longer sent.
    status.details.retain(|_, value| !value.is_null());
    let api: Api<DynamicObject> = api_of(client, resource, key)?;
    let body = json!({
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"name": key.name, "namespace": key.namespace},
        "status": status,
    });
    match api.patch_status(&key.name, &PatchParams::apply(manager).force(), &Patch::Apply(&body)).await {
        Ok(stored) => Ok(Some(Written {
            uid: stored.metadata.uid.unwrap_or_default(),
            resource_version: stored
                .metadata
                .resource_version
                .and_then(|v| v.parse().ok())
                .unwrap_or_default(),
            status,
        })),
        Err(kube::Error::Api(answer)) if answer.is_not_found() => Ok(None),
        Err(error) => Err(ReconcileError::api(Verb::Apply, key, error)),
    }
}
