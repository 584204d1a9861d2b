//! The queue of background jobs, which JobService processes and the exporter counts.

use crate::{
    connections::{check_redis, redis_url},
    secrets::Secrets,
    values::whole_seconds,
    versions::{Feature, HarborVersion},
};
use api::v1beta1::redis::JobServiceRedisPool;
use kube::core::ObjectMeta;
use plan::{All, PlanError};

/// A queue in Redis.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Queue {
    /// URL of the database. It may contain a password.
    pub url: String,
    /// The prefix of every key.
    pub namespace: String,
    /// How many seconds an idle connection stays open.
    pub idle_timeout: u64,
}

impl Queue {
    /// The queue of the JobService with the name of `owner`. `field` is where the spec describes it.
    pub fn of(
        pool: &JobServiceRedisPool,
        field: &str,
        owner: &ObjectMeta,
        secrets: &Secrets<'_>,
    ) -> Result<Self, PlanError> {
        let idle_timeout = whole_seconds(&pool.idle_timeout, format_args!("{field}.idleTimeout"))?;
        let url = redis_url(&pool.connection, idle_timeout, secrets)?;
        let set = pool.namespace.clone().filter(|namespace| !namespace.is_empty());
        let namespace = set.unwrap_or_else(|| {
            queue_namespace(
                owner.namespace.as_deref().unwrap_or_default(),
                owner.name.as_deref().unwrap_or_default(),
            )
        });
        Ok(Self { url, namespace, idle_timeout })
    }
}

/// The prefix of a JobService's keys unless its spec sets one. Pending jobs are stored under it, so it must not
/// change.
pub(crate) fn queue_namespace(namespace: &str, jobservice: &str) -> String {
    format!("jobservice::{namespace}::{jobservice}")
}

/// Refuses settings of a queue, at `field`, that this version of Harbor does not support.
pub(crate) fn check_queue(
    pool: &JobServiceRedisPool,
    field: &str,
    version: &HarborVersion,
) -> Result<(), PlanError> {
    let server = &pool.connection.server;
    let sentinel_user = server.username.as_ref().filter(|_| server.sentinel_master_set.is_some());
    (
        check_redis(&pool.connection, field, version),
        version.known(Feature::SentinelQueueUser, format_args!("{field}.username"), sentinel_user),
    )
        .all()
        .map(drop)
}
