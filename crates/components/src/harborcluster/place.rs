//! Where the data of a service is, as far as it matters: told from where a Harbor finds it, in words for people.
//!
//! Another host may be another name for the same server, so it is no other place; another bucket is.

use super::{cache, cluster::Cluster, database, storage};
use api::v1beta1::{
    harbor::storage::{HarborStorageSpec, ObjectStoreSpec},
    postgres::HarborDatabaseSpec,
    redis::RedisSpec,
    storage::{AzureSpec, GcsSpec, OssSpec, S3Spec, SwiftSpec},
};

/// Where jobs and sessions are.
pub(super) fn of_cache(cluster: &Cluster<'_>, redis: &RedisSpec) -> String {
    cache::runner(cluster, redis).unwrap_or("a Redis that is run elsewhere").to_owned()
}

/// Where everything is but images.
pub(super) fn of_database(cluster: &Cluster<'_>, database: &HarborDatabaseSpec) -> String {
    let runner = database::runner(cluster, database).unwrap_or("a PostgreSQL that is run elsewhere");
    let prefix = database.prefix.as_deref().filter(|prefix| !prefix.is_empty());
    match (database.name.as_deref(), prefix) {
        (Some(name), _) => format!("{runner}, in the database {name}"),
        (None, Some(prefix)) => format!("{runner}, in databases named {prefix}…"),
        (None, None) => runner.to_owned(),
    }
}

/// Where images are.
pub(super) fn of_storage(cluster: &Cluster<'_>, storage: &HarborStorageSpec) -> String {
    if storage::is_minio(cluster, storage) {
        return "the MinIO of this HarborCluster".to_owned();
    }
    let ObjectStoreSpec { s3, swift, azure, gcs, oss } = &storage.object_store;
    let within = |kind: &str, name: Option<&str>, directory: Option<&str>| {
        let name = name.unwrap_or_default();
        match directory.map(|directory| directory.trim_matches('/')).filter(|it| !it.is_empty()) {
            Some(directory) => format!("directory {directory:?} of {kind} {name:?}"),
            None => format!("{kind} {name:?}"),
        }
    };
    let object_store = match (s3, swift, azure, gcs, oss) {
        (Some(S3Spec { bucket, root_directory, .. }), ..) => {
            Some(within("the S3 bucket", Some(bucket), root_directory.as_deref()))
        }
        (_, Some(SwiftSpec { container, prefix, .. }), ..) => {
            Some(within("the Swift container", Some(container), prefix.as_deref()))
        }
        (_, _, Some(AzureSpec { container, path_prefix, .. }), ..) => {
            Some(within("the Azure container", container.as_deref(), Some(path_prefix)))
        }
        (_, _, _, Some(GcsSpec { bucket, path_prefix, .. }), _) => {
            Some(within("the Google bucket", bucket.as_deref(), path_prefix.as_deref()))
        }
        (.., Some(OssSpec { bucket, path_prefix, .. })) => {
            Some(within("the OSS bucket", Some(bucket), path_prefix.as_deref()))
        }
        (None, None, None, None, None) => None,
    };
    let volume = || {
        let volume = storage.filesystem.as_ref().map(|volumes| &volumes.registry_persistent_volume.volume);
        let directory = volume.and_then(|volume| volume.prefix.as_deref());
        within("the volume", volume.map(|volume| volume.claim_name.as_str()), directory)
    };
    object_store.unwrap_or_else(volume)
}
