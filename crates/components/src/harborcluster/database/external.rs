//! A PostgreSQL that exists. The Harbor judges what is said of it.

use crate::harborcluster::cluster::Cluster;
use api::v1beta1::postgres::HarborDatabaseSpec;
use plan::PlanError;

/// Where it is.
pub(super) fn settings(cluster: &Cluster<'_>) -> Result<HarborDatabaseSpec, PlanError> {
    cluster.spec.database.spec.postgresql.clone().ok_or_else(|| {
        PlanError::invalid(
            "spec.database.spec.postgresql",
            "is required for kind PostgreSQL",
            "set spec.database.spec.postgresql.hosts",
        )
    })
}
