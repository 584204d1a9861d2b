//! The Harbor of a HarborCluster: what both have in common as it is, and the services where they are.

use super::{cache::Cache, cluster::Cluster, database::Database, storage::Storage};
use api::v1beta1::{Harbor, HarborSpec};

/// The Harbor that uses these services.
pub(super) fn harbor(cluster: &Cluster<'_>, cache: &Cache, database: &Database, storage: &Storage) -> Harbor {
    let spec = HarborSpec {
        installation: cluster.spec.installation.clone(),
        database: database.settings().clone(),
        redis: cache.settings().clone(),
        image_chart_storage: storage.settings().clone(),
    };
    Harbor { metadata: cluster.metadata(format!("{}-harbor", cluster.name)), spec, status: None }
}
