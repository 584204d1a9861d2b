//! The Redis database of results and jobs.

use crate::v1beta1::{
    defaults::long,
    duration::{GoDuration, hours, minutes, seconds},
    redis::RedisConnection,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Redis database of results and jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyRedisSpec {
    /// The connection.
    #[serde(flatten)]
    pub connection: RedisConnection,

    /// Prefix of the keys of results. Defaults to harbor.scanner.trivy:store.
    #[serde(default = "store")]
    pub namespace: String,

    /// The job queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<TrivyRedisJobsSpec>,

    /// The pool of connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<TrivyRedisPoolSpec>,
}

impl TrivyRedisSpec {
    /// This database, with defaults for everything else.
    pub fn on(connection: RedisConnection) -> Self {
        Self {
            connection,
            namespace: store(),
            jobs: Some(TrivyRedisJobsSpec::default()),
            pool: Some(TrivyRedisPoolSpec::default()),
        }
    }
}

/// The job queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyRedisJobsSpec {
    /// Prefix of the keys of jobs. Defaults to harbor.scanner.trivy:job-queue.
    #[serde(default = "job_queue", rename = "Namespace")]
    pub namespace: String,

    /// How long results are kept. Defaults to 1h.
    #[serde(default = "hours::<1>", rename = "scanTTL")]
    pub scan_ttl: GoDuration,
}

/// The pool of connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrivyRedisPoolSpec {
    /// Most connections open at once. Defaults to 5.
    #[serde(default = "long::<5>")]
    #[schemars(range(min = 0))]
    pub max_active: i64,

    /// Most connections kept open while unused. Defaults to 5.
    #[serde(default = "long::<5>")]
    #[schemars(range(min = 0))]
    pub max_idle: i64,

    /// How long an unused connection stays open. Defaults to 5m.
    #[serde(default = "minutes::<5>")]
    pub idle_timeout: GoDuration,

    /// How long connecting may take. Defaults to 1s.
    #[serde(default = "seconds::<1>")]
    pub connection_timeout: GoDuration,

    /// How long an answer may take. Defaults to 1s.
    #[serde(default = "seconds::<1>")]
    pub read_timeout: GoDuration,

    /// How long a command may take to leave. Defaults to 1s.
    #[serde(default = "seconds::<1>")]
    pub write_timeout: GoDuration,
}

default_is_the_empty_object!(TrivyRedisJobsSpec, TrivyRedisPoolSpec);

fn store() -> String {
    "harbor.scanner.trivy:store".to_owned()
}

fn job_queue() -> String {
    "harbor.scanner.trivy:job-queue".to_owned()
}
