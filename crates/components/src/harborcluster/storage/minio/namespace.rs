//! MinIO's requirements for names and namespaces.

use super::tenant::POOL;
use crate::harborcluster::cluster::Cluster;
use k8s_openapi::api::core::v1::Service;
use plan::{PlanError, World};

/// The longest name of a StatefulSet: its pods have it in a label, with a hash.
const LONGEST_SET: usize = 52;

/// The Service that the MinIO operator creates in each namespace, whatever the name of the tenant.
const SERVICE_OF_ALL: &str = "minio";

/// The name of the Tenant. Refused if its StatefulSet could not create pods.
pub(super) fn name(cluster: &Cluster<'_>) -> Result<String, PlanError> {
    let name = super::name(cluster);
    let set = format!("{name}-{POOL}");
    if set.len() > LONGEST_SET {
        let room = LONGEST_SET - (set.len() - cluster.name.len());
        return Err(PlanError::invalid(
            "metadata.name",
            format!("MinIO's StatefulSet is called {set:?}, which is longer than {LONGEST_SET} characters"),
            format!("use a name of at most {room} characters"),
        ));
    }
    Ok(name)
}

/// Refuses a second tenant in a namespace. Every version of the MinIO operator since 2020 refuses it, too, but
/// only after it has changed the shared Service to select the second tenant, and it then reconciles neither.
pub(super) fn has_room_for(name: &str, world: &World<'_>) -> Result<(), PlanError> {
    let service = world.read::<Service>(SERVICE_OF_ALL)?;
    let owners = service.and_then(|service| service.metadata.owner_references).unwrap_or_default();
    match owners.into_iter().find(|owner| owner.kind == "Tenant" && owner.name != name) {
        None => Ok(()),
        Some(other) => Err(PlanError::invalid(
            "spec.storage.kind",
            format!(
                "the namespace has Tenant {} already, and the MinIO operator runs one in each",
                other.name
            ),
            "use another namespace or another kind, or delete that Tenant if its data is not needed",
        )),
    }
}
