//! Where the data of a HarborCluster is: told by the Harbor it has written before.

use super::{HarborCluster, cluster::Cluster, place};
use crate::data::{DataService, Move, check_moves};
use api::v1beta1::Harbor;
use kube::ResourceExt as _;
use plan::{Component as _, ObjectKey, PlanError, mutation::CONTROLLER_LABEL};

/// Whether a Harbor is the cluster's by its labels or its owner. Another one is refused by its name, wherever its data is.
pub(super) fn is_its_own(cluster: &Cluster<'_>, existing: &Harbor) -> bool {
    let instance = existing.labels().get("app.kubernetes.io/instance").map(String::as_str);
    let labelled = existing.labels().get(CONTROLLER_LABEL).map(String::as_str) == Some(HarborCluster::NAME)
        && instance == Some(cluster.name);
    let owned = existing
        .owner_references()
        .iter()
        .any(|owner| owner.kind == "HarborCluster" && owner.name == *cluster.name);
    labelled || owned
}

/// Refuses to point an existing Harbor at another place than the one where its data is.
pub(super) fn allowed(cluster: &Cluster<'_>, existing: &Harbor, wanted: &Harbor) -> Result<(), PlanError> {
    let key = ObjectKey::of::<Harbor>(cluster.namespace, wanted.metadata.name.as_deref().unwrap_or_default());
    let (is, wanted) = (&existing.spec, &wanted.spec);
    let moves = [
        Move {
            service: DataService::Cache,
            field: "spec.cache",
            from: place::of_cache(cluster, &is.redis.server),
            to: place::of_cache(cluster, &wanted.redis.server),
        },
        Move {
            service: DataService::Database,
            field: "spec.database",
            from: place::of_database(cluster, &is.database),
            to: place::of_database(cluster, &wanted.database),
        },
        Move {
            service: DataService::Storage,
            field: "spec.storage",
            from: place::of_storage(cluster, &is.image_chart_storage),
            to: place::of_storage(cluster, &wanted.image_chart_storage),
        },
    ];
    check_moves(&key, cluster.metadata.annotations.as_ref(), moves)
}
