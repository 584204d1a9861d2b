//! An existing PostgreSQL. The Harbor validates its settings.

use crate::harborcluster::cluster::Cluster;
use api::v1beta1::postgres::HarborDatabaseSpec;
use plan::PlanError;

/// The Harbor's settings for it.
pub(super) fn settings(cluster: &Cluster<'_>) -> Result<HarborDatabaseSpec, PlanError> {
    cluster.spec.database.spec.postgresql.clone().ok_or_else(|| {
        PlanError::invalid(
            "spec.database.spec.postgresql",
            "is required for kind PostgreSQL",
            "set spec.database.spec.postgresql.hosts",
        )
    })
}
