//! The Redis of a HarborCluster.

use crate::v1beta1::{defaults::long, image::ImageSpec, redis::RedisSpec};
use k8s_openapi::api::core::v1::ResourceRequirements;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Redis: one that exists, or one the operator runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.kind != 'Redis' || has(self.spec.redis)")
    .message("spec.redis: is required for kind Redis; set spec.redis.host"))]
#[x_kube(validation = Rule::new("self.kind != 'RedisFailover' || has(self.spec.redisFailover)")
    .message("spec.redisFailover: is required for kind RedisFailover; set spec.redisFailover.operatorVersion"))]
pub struct CacheSpec {
    /// Which Redis: Redis for one that exists, RedisFailover for one the operator runs.
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("cache.kind: cannot change after creation; create another HarborCluster"))]
    pub kind: CacheKind,

    /// Settings of that kind.
    pub spec: CacheSettings,
}

/// Which Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CacheKind {
    /// One that exists.
    Redis,
    /// One the operator runs, with sentinels.
    RedisFailover,
}

/// Settings of the Redis; those of another kind are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheSettings {
    /// Settings of kind Redis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RedisSpec>,

    /// Settings of kind RedisFailover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_failover: Option<RedisFailoverSpec>,
}

/// A Redis the operator runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisFailoverSpec {
    /// The image.
    #[serde(flatten)]
    pub image: ImageSpec,

    /// Version of the Redis operator this was written for. For information.
    pub operator_version: String,

    /// The servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<RedisServerSpec>,

    /// The sentinels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentinel: Option<RedisSentinelSpec>,
}

/// The servers of a Redis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisServerSpec {
    /// Number of servers. Defaults to 1.
    #[serde(default = "long::<1>")]
    pub replicas: i64,

    /// ServiceAccount the pods run as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,

    /// Compute resources of each container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Class of the volumes. The default class of the cluster unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,

    /// Size of each volume. 1Gi unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
}

/// The sentinels of a Redis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisSentinelSpec {
    /// Number of sentinels. Defaults to 1.
    #[serde(default = "long::<1>")]
    pub replicas: i64,
}

default_is_the_empty_object!(RedisServerSpec, RedisSentinelSpec);
