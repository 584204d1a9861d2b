//! An existing Redis.

use super::required;
use crate::{connections::check_registry_redis, harborcluster::cluster::Cluster};
use api::v1beta1::redis::{HarborRedisSpec, RedisConnection};
use plan::PlanError;

/// The user's settings. The Harbor would refuse what its version does not support; refused here, the error
/// names the field that the user wrote.
pub(super) fn settings(cluster: &Cluster<'_>) -> Result<HarborRedisSpec, PlanError> {
    let redis = required(cluster.spec.cache.spec.redis.as_ref(), "redis", "set its host")?;
    let connection = RedisConnection { server: redis.server.clone(), database: 0 };
    check_registry_redis(&connection, "spec.cache.spec.redis", &cluster.version)?;
    Ok(redis.clone())
}
