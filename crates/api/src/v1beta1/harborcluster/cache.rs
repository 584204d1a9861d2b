//! The Redis of a HarborCluster.

use crate::v1beta1::{
    defaults::{int, long},
    image::{ImagePullPolicy, ImageSpec},
    redis::HarborRedisSpec,
};
use k8s_openapi::{
    api::core::v1::{LocalObjectReference, ResourceRequirements},
    apimachinery::pkg::api::resource::Quantity,
};
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
#[x_kube(validation = Rule::new("self.kind != 'RedisReplication' || has(self.spec.redisReplication)")
    .message("spec.redisReplication: is required for kind RedisReplication; set its image and sentinel.image"))]
pub struct CacheSpec {
    /// Which Redis: Redis for one that exists, RedisFailover for one that Spotahome's operator runs, RedisReplication
    /// for one that the operator of OT-Container-Kit runs.
    pub kind: CacheKind,

    /// Settings of that kind.
    pub spec: CacheSettings,
}

/// Which Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CacheKind {
    /// One that exists.
    Redis,
    /// One that Spotahome's operator runs, with sentinels.
    RedisFailover,
    /// One that the operator of OT-Container-Kit runs, with sentinels.
    RedisReplication,
}

/// Settings of the Redis; those of another kind are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheSettings {
    /// Settings of kind Redis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<HarborRedisSpec>,

    /// Settings of kind RedisFailover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_failover: Option<RedisFailoverSpec>,

    /// Settings of kind RedisReplication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_replication: Option<RedisReplicationSpec>,
}

/// A Redis that Spotahome's operator runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisFailoverSpec {
    /// The image of servers and sentinels. Unless set, a Redis that exists keeps the one it has, and a new one gets
    /// what Spotahome's operator chooses.
    #[serde(flatten)]
    pub image: ImageSpec,

    /// Version of the Redis operator this was written for. For information; has no effect.
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

    /// Class of the volumes. The default class of the cluster unless set. It cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,

    /// Size of each volume. 1Gi unless set. It can grow, and never shrink.
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

/// A Redis that the operator of OT-Container-Kit runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisReplicationSpec {
    /// Image of the servers: one that the operator of OT-Container-Kit can configure, as its documentation names them.
    #[schemars(length(min = 1))]
    pub image: String,

    /// When nodes pull the images. IfNotPresent unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ImagePullPolicy")]
    pub image_pull_policy: Option<ImagePullPolicy>,

    /// Secrets in the same namespace that hold registry credentials for pulling the images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,

    /// The servers.
    #[serde(default)]
    pub server: ReplicationServerSpec,

    /// The sentinels.
    pub sentinel: ReplicationSentinelSpec,
}

/// The servers of a Redis that the operator of OT-Container-Kit runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicationServerSpec {
    /// Number of servers. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(range(min = 1))]
    pub replicas: i32,

    /// ServiceAccount the pods run as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,

    /// Compute resources of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Class of the volumes. The default class of the cluster unless set. It cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,

    /// Size of each volume. 1Gi unless set. It can grow, and never shrink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Quantity>,
}

/// The sentinels of a Redis that the operator of OT-Container-Kit runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicationSentinelSpec {
    /// Image of the sentinels: one that the operator of OT-Container-Kit can configure, as its documentation names them.
    #[schemars(length(min = 1))]
    pub image: String,

    /// Number of sentinels, an odd one, so that a majority decides. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(range(min = 1))]
    #[x_kube(validation = Rule::new("self % 2 == 1")
        .message("sentinel.replicas: is even; use an odd number, so that a majority decides"))]
    pub replicas: i32,

    /// Compute resources of each sentinel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
}

default_is_the_empty_object!(RedisServerSpec, RedisSentinelSpec, ReplicationServerSpec);
