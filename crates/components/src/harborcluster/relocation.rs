//! The location of the data of a HarborCluster, read from its existing Harbor.

use super::{HarborCluster, cluster::Cluster, location};
use crate::data::{DataService, Move, check_moves};
use api::names::{CONTROLLER_LABEL, INSTANCE_LABEL};
use api::v1beta1::Harbor;
use kube::ResourceExt as _;
use plan::{Component as _, ObjectKey, PlanError};

/// Whether a Harbor belongs to the cluster, by its labels or its owner. A foreign Harbor of the same name is
/// refused elsewhere.
pub(super) fn is_its_own(cluster: &Cluster<'_>, existing: &Harbor) -> bool {
    let instance = existing.labels().get(INSTANCE_LABEL).map(String::as_str);
    let labelled = existing.labels().get(CONTROLLER_LABEL).map(String::as_str) == Some(HarborCluster::NAME)
        && instance == Some(cluster.name);
    let owned = existing
        .owner_references()
        .iter()
        .any(|owner| owner.kind == "HarborCluster" && owner.name == *cluster.name);
    labelled || owned
}

/// Refuses another location for the data of an existing Harbor.
pub(super) fn allowed(cluster: &Cluster<'_>, existing: &Harbor, wanted: &Harbor) -> Result<(), PlanError> {
    let key = ObjectKey::of::<Harbor>(cluster.namespace, wanted.metadata.name.as_deref().unwrap_or_default());
    let (is, wanted) = (&existing.spec, &wanted.spec);
    let moves = [
        Move {
            service: DataService::Cache,
            field: "spec.cache",
            from: location::of_cache(cluster, &is.redis.server),
            to: location::of_cache(cluster, &wanted.redis.server),
        },
        Move {
            service: DataService::Database,
            field: "spec.database",
            from: location::of_database(cluster, &is.database),
            to: location::of_database(cluster, &wanted.database),
        },
        Move {
            service: DataService::Storage,
            field: "spec.storage",
            from: location::of_storage(cluster, &is.image_chart_storage),
            to: location::of_storage(cluster, &wanted.image_chart_storage),
        },
    ];
    check_moves(&key, cluster.metadata.annotations.as_ref(), moves)
}
