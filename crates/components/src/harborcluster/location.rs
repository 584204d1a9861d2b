//! The location of the data of a service, read from a Harbor's settings, in words for messages.

use super::{cache, cluster::Cluster, database, storage};
use crate::{data::location_of_images, harbor::store_of_images};
use api::v1beta1::{harbor::storage::HarborStorageSpec, postgres::HarborDatabaseSpec, redis::RedisSpec};

/// The location of jobs and sessions.
pub(super) fn of_cache(cluster: &Cluster<'_>, redis: &RedisSpec) -> String {
    cache::runner(cluster, redis).unwrap_or("a Redis that is run elsewhere").to_owned()
}

/// The location of everything but images.
pub(super) fn of_database(cluster: &Cluster<'_>, database: &HarborDatabaseSpec) -> String {
    let runner = database::runner(cluster, database).unwrap_or("a PostgreSQL that is run elsewhere");
    let prefix = database.prefix.as_deref().filter(|prefix| !prefix.is_empty());
    match (database.name.as_deref(), prefix) {
        (Some(name), _) => format!("{runner}, in the database {name}"),
        (None, Some(prefix)) => format!("{runner}, in databases named {prefix}…"),
        (None, None) => runner.to_owned(),
    }
}

/// The location of images.
pub(super) fn of_storage(cluster: &Cluster<'_>, storage: &HarborStorageSpec) -> String {
    if storage::is_minio(cluster, storage) {
        return "the MinIO of this HarborCluster".to_owned();
    }
    location_of_images(&store_of_images(storage))
}
