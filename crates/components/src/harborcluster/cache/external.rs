//! A Redis that exists.

use super::required;
use crate::{connections::check_registry_redis, harborcluster::cluster::Cluster};
use api::v1beta1::redis::{HarborRedisSpec, RedisConnection};
use plan::PlanError;

/// Where it is, as the user says. Refused here, and not only by the Harbor, is what the Harbor cannot speak: the user
/// wrote it here.
pub(super) fn settings(cluster: &Cluster<'_>) -> Result<HarborRedisSpec, PlanError> {
    let redis = required(cluster.spec.cache.spec.redis.as_ref(), "redis", "set its host")?;
    let connection = RedisConnection { server: redis.server.clone(), database: 0 };
    check_registry_redis(&connection, "spec.cache.spec.redis", &cluster.version)?;
    Ok(redis.clone())
}
