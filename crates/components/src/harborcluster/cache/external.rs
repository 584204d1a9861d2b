//! A Redis that exists.

use super::required;
use crate::{harborcluster::cluster::Cluster, redis};
use api::v1beta1::redis::{HarborRedisSpec, RedisConnection};
use plan::PlanError;

/// Where it is, as the user says. Refused here, and not only by the Harbor, is what the Harbor cannot speak: the user
/// wrote it here.
pub(super) fn settings(cluster: &Cluster<'_>) -> Result<HarborRedisSpec, PlanError> {
    let redis = required(cluster.spec.cache.spec.redis.as_ref(), "redis", "set its host")?;
    let connection = RedisConnection { server: redis.server.clone(), database: 0 };
    redis::understood_by_registry(&connection, "spec.cache.spec.redis", &cluster.version)?;
    Ok(redis.clone())
}
