//! What MinIO asks of names and namespaces.

use super::tenant::POOL;
use crate::harborcluster::cluster::Cluster;
use k8s_openapi::api::core::v1::Service;
use plan::{PlanError, World};

/// Longest name of a StatefulSet: a hash follows it in a label of its pods.
const LONGEST_SET: usize = 52;

/// The Service of which the MinIO operator makes one in each namespace, whatever the tenant is called.
const SERVICE_OF_ALL: &str = "minio";

/// The name of the Tenant, refused where its StatefulSet could not have pods.
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

/// Refuses a second tenant in a namespace. The MinIO operator does so too, in every version since 2020, but only after it
/// has led the Service of all to the second, and from then on it does not look after the first either.
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
            "use another namespace or another kind, or delete that Tenant if nobody needs its data",
        )),
    }
}
