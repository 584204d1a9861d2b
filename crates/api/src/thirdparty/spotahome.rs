//! `databases.spotahome.com/v1`: Redis with sentinels, as Spotahome's operator runs it.

use k8s_openapi::api::core::v1::{LocalObjectReference, PersistentVolumeClaimSpec, ResourceRequirements};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A master, its replicas, and sentinels that replace the master when it fails. It has no status.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "databases.spotahome.com",
    version = "v1",
    kind = "RedisFailover",
    plural = "redisfailovers",
    namespaced,
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct RedisFailoverSpec {
    /// The servers.
    #[serde(default)]
    pub redis: RedisSettings,

    /// The sentinels.
    #[serde(default)]
    pub sentinel: SentinelSettings,

    /// What clients of the servers log in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<AuthSettings>,
}

/// The servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisSettings {
    /// Pods of servers.
    #[serde(flatten)]
    pub pods: RedisPods,

    /// ServiceAccount they run as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,

    /// Where they keep their data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<RedisStorage>,
}

/// The sentinels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentinelSettings {
    /// Pods of sentinels.
    #[serde(flatten)]
    pub pods: RedisPods,
}

/// What servers and sentinels have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisPods {
    /// How many: 3 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,

    /// Their image, with Redis in it; one that fits the operator unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,

    /// When nodes pull it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<String>,

    /// Secrets for pulling it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,

    /// Compute resources of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
}

/// Where servers keep their data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisStorage {
    /// Whether the volumes stay when the resource is deleted.
    #[serde(default)]
    pub keep_after_deletion: bool,

    /// The volumes, one for each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistent_volume_claim: Option<RedisClaim>,
}

/// The claim of each server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisClaim {
    /// What it is called.
    pub metadata: RedisClaimMetadata,

    /// What is claimed.
    pub spec: PersistentVolumeClaimSpec,
}

/// What the claim of each server is called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisClaimMetadata {
    /// Begins its name.
    pub name: String,

    /// Its labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// What clients of the servers log in with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthSettings {
    /// Secret whose key `password` holds it.
    pub secret_path: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_failover_is_spelt_as_spotahome_spells_it() {
        let pods = json!({
            "replicas": 3, "image": "redis:6.2.6-alpine", "imagePullPolicy": "Always",
            "imagePullSecrets": [{"name": "mirror"}], "resources": {"limits": {"memory": "1Gi"}},
        });
        let mut redis = pods.clone();
        redis["serviceAccountName"] = json!("redis");
        redis["storage"] = json!({
            "keepAfterDeletion": true,
            "persistentVolumeClaim": {
                "metadata": {"name": "acme", "labels": {"a": "b"}},
                "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"},
            },
        });
        let written = json!({"redis": redis, "sentinel": pods, "auth": {"secretPath": "acme-redis"}});

        let spec: RedisFailoverSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
    }
}
