//! `redis.redis.opstreelabs.in/v1beta2`: Redis with sentinels, as the operator of OT-Container-Kit runs it.

use k8s_openapi::api::core::v1::{
    EnvVarSource, LocalObjectReference, PersistentVolumeClaimSpec, PodSecurityContext, ResourceRequirements,
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A master and its replicas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "redis.redis.opstreelabs.in",
    version = "v1beta2",
    kind = "RedisReplication",
    plural = "redisreplications",
    namespaced,
    status = "RedisReplicationStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct RedisReplicationSpec {
    /// How many, master included.
    pub cluster_size: i32,

    /// Their pods.
    pub kubernetes_config: KubernetesConfig,

    /// ServiceAccount they run as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,

    /// What their pods may do; their volumes belong to its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_security_context: Option<PodSecurityContext>,

    /// Where they keep their data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<ReplicationStorage>,
}

/// Pods of servers or of sentinels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesConfig {
    /// Their image.
    pub image: String,

    /// When nodes pull it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<String>,

    /// Secrets for pulling it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,

    /// Compute resources of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Credentials of clients; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_secret: Option<PasswordKey>,
}

/// The key of a Secret that holds a password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PasswordKey {
    /// Name of the Secret.
    pub name: String,

    /// Its key.
    pub key: String,
}

/// Where servers keep their data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicationStorage {
    /// Whether the volumes stay when the resource is deleted.
    #[serde(default)]
    pub keep_after_delete: bool,

    /// The volumes, one for each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_claim_template: Option<ReplicationClaim>,
}

/// The claim of each server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicationClaim {
    /// What is claimed.
    pub spec: PersistentVolumeClaimSpec,
}

/// What is known of a replication.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisReplicationStatus {
    /// Pod of the master; empty where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master_node: Option<String>,
}

/// Sentinels that watch over a replication and replace its master when it fails. Their status is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "redis.redis.opstreelabs.in",
    version = "v1beta2",
    kind = "RedisSentinel",
    plural = "redissentinels",
    namespaced,
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct RedisSentinelSpec {
    /// How many: an odd number, so that a majority decides.
    pub cluster_size: i32,

    /// Their pods.
    pub kubernetes_config: KubernetesConfig,

    /// What they watch over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_sentinel_config: Option<SentinelConfig>,
}

/// What sentinels watch over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentinelConfig {
    /// Name of the replication, in the same namespace.
    pub redis_replication_name: String,

    /// What clients ask sentinels for: `myMaster` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master_group_name: Option<String>,

    /// How many sentinels must agree that the master is gone, as text: 2 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<String>,

    /// What sentinels log in to the servers with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis_replication_password: Option<EnvVarSource>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pods() -> Value {
        json!({
            "image": "redis", "imagePullPolicy": "Always", "imagePullSecrets": [{"name": "mirror"}],
            "resources": {"limits": {"memory": "1Gi"}}, "redisSecret": {"name": "acme-redis", "key": "password"},
        })
    }

    #[test]
    fn a_replication_is_spelt_as_its_operator_spells_it() {
        let written = json!({
            "clusterSize": 3,
            "kubernetesConfig": pods(),
            "serviceAccountName": "redis",
            "podSecurityContext": {"fsGroup": 1000},
            "storage": {
                "keepAfterDelete": true,
                "volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}},
            },
        });

        let spec: RedisReplicationSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
    }

    #[test]
    fn sentinels_are_spelt_as_their_operator_spells_them() {
        let password = json!({"secretKeyRef": {"name": "acme-redis", "key": "password"}});
        let written = json!({
            "clusterSize": 3,
            "kubernetesConfig": pods(),
            "redisSentinelConfig": {
                "redisReplicationName": "acme-redis", "masterGroupName": "mymaster", "quorum": "2",
                "redisReplicationPassword": password,
            },
        });

        let spec: RedisSentinelSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
    }
}
