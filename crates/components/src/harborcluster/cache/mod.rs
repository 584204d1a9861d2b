//! The Redis of a HarborCluster: an existing one, or one that one of two operators runs. The kind alone decides
//! which; settings of other kinds are ignored.

mod external;
mod opstree;
mod password;
mod spotahome;
#[cfg(test)]
mod tests;

use self::{opstree::Replication, spotahome::Failover};
use super::cluster::Cluster;
use api::{
    thirdparty::{
        opstree::{RedisReplication, RedisSentinel},
        spotahome::RedisFailover,
    },
    v1beta1::{
        harborcluster::cache::CacheKind,
        redis::{HarborRedisSpec, RedisSpec},
    },
};
use k8s_openapi::api::{
    apps::v1::{Deployment, StatefulSet},
    core::v1::Secret,
};
use plan::{Builder, Children, Deps, PlanError, World};

/// The master set of sentinels, for both operators.
const MASTER_SET: &str = "mymaster";

/// The name of the service in messages.
const SERVICE: &str = "Redis";

/// The port of sentinels, for both operators.
const SENTINEL_PORT: i32 = 26379;

/// The Redis, and the Harbor's settings for it.
pub(super) struct Cache {
    settings: HarborRedisSpec,
    run: Run,
}

/// What runs it.
enum Run {
    Elsewhere,
    Spotahome(Box<Failover>),
    Opstree(Box<Replication>),
}

/// The kinds of its children.
pub(super) fn children(children: Children) -> Children {
    let children = children.and::<Secret>().awaiting::<StatefulSet>().awaiting::<Deployment>();
    children.and::<RedisFailover>().and::<RedisReplication>().and::<RedisSentinel>()
}

impl Cache {
    /// Validates the HarborCluster's settings for it.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        match cluster.spec.cache.kind {
            CacheKind::Redis => Ok(Self { settings: external::settings(cluster)?, run: Run::Elsewhere }),
            CacheKind::RedisFailover => {
                let failover = Failover::of(cluster, world)?;
                Ok(Self { settings: failover.settings().into(), run: Run::Spotahome(Box::new(failover)) })
            }
            CacheKind::RedisReplication => {
                let replication = Replication::of(cluster, world)?;
                Ok(Self { settings: replication.settings().into(), run: Run::Opstree(Box::new(replication)) })
            }
        }
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> &HarborRedisSpec {
        &self.settings
    }

    /// Adds its children. The Harbor waits for them.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {
        match self.run {
            Run::Elsewhere => (None, None),
            Run::Spotahome(failover) => (Some(failover.add(graph)), None),
            Run::Opstree(replication) => (None, Some(replication.add(graph))),
        }
    }
}

/// The operator that runs a Harbor's Redis, if it runs in this cluster.
pub(super) fn runner(cluster: &Cluster<'_>, redis: &RedisSpec) -> Option<&'static str> {
    let name = format!("{}-redis", cluster.name);
    if redis.host == spotahome::sentinels(&name) {
        Some("the Redis of Spotahome's operator")
    } else if redis.host == opstree::sentinels(&name) {
        Some("the Redis of OT-Container-Kit's operator")
    } else {
        None
    }
}

/// The settings of the kind, which an object of an older schema may lack.
fn required<'a, T>(settings: Option<&'a T>, field: &str, remedy: &str) -> Result<&'a T, PlanError> {
    let field = format!("spec.cache.spec.{field}");
    settings.ok_or_else(|| PlanError::invalid(field, "is missing, and spec.cache.kind asks for it", remedy))
}

/// The Harbor's settings for a Redis behind sentinels. Harbor does not authenticate to sentinels, so they have
/// no password.
fn behind_sentinels(sentinels: String, password: &str) -> RedisSpec {
    RedisSpec {
        host: sentinels,
        port: Some(SENTINEL_PORT),
        sentinel_master_set: Some(MASTER_SET.to_owned()),
        password_ref: Some(password.into()),
        ..RedisSpec::default()
    }
}
