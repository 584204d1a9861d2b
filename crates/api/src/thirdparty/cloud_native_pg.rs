//! `postgresql.cnpg.io/v1`: PostgreSQL as CloudNativePG runs it.

use k8s_openapi::{
    api::core::v1::{LocalObjectReference, ResourceRequirements},
    apimachinery::pkg::apis::meta::v1::Condition,
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A PostgreSQL with standby servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "postgresql.cnpg.io",
    version = "v1",
    kind = "Cluster",
    root = "PostgresCluster",
    plural = "clusters",
    namespaced,
    status = "PostgresClusterStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct PostgresClusterSpec {
    /// Number of servers.
    #[serde(default)]
    pub instances: i32,

    /// The image; that of CloudNativePG unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_name: Option<String>,

    /// Where the image is looked up instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_catalog_ref: Option<ImageCatalogRef>,

    /// When nodes pull the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_pull_policy: Option<String>,

    /// Secrets with credentials for pulling the image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,

    /// PostgreSQL itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postgresql: Option<PostgresConfiguration>,

    /// How a new one begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bootstrap>,

    /// The volume of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageConfiguration>,

    /// Compute resources of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
}

/// A major version in a catalogue of images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageCatalogRef {
    /// API group of the catalogue.
    #[serde(default)]
    pub api_group: String,

    /// Kind of the catalogue.
    #[serde(default)]
    pub kind: String,

    /// Name of the catalogue.
    #[serde(default)]
    pub name: String,

    /// Major version of PostgreSQL.
    #[serde(default)]
    pub major: i32,
}

/// PostgreSQL itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresConfiguration {
    /// Lines of `postgresql.conf`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,

    /// Lines of `pg_hba.conf`, before those of CloudNativePG.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pg_hba: Vec<String>,
}

/// How a new cluster begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bootstrap {
    /// Empty. Others begin with a backup or with a copy of another cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initdb: Option<InitDb>,
}

/// How an empty cluster begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitDb {
    /// The database.
    #[serde(default)]
    pub database: String,

    /// Its owner.
    #[serde(default)]
    pub owner: String,

    /// Secret with name and password of the owner; CloudNativePG makes one unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<LocalObjectReference>,

    /// Whether pages have checksums.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_checksums: Option<bool>,

    /// SQL to run once, as superuser, when the owner exists.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "postInitSQL")]
    pub post_init_sql: Vec<String>,
}

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageConfiguration {
    /// Size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,

    /// Class; the default class of the cluster unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class: Option<String>,
}

/// What CloudNativePG reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresClusterStatus {
    /// State in a few words, such as `Cluster in healthy state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,

    /// Why it is in this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_reason: Option<String>,

    /// The state; `Ready` is the one that matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::Resource as _;
    use serde_json::json;

    #[test]
    fn a_cluster_is_spelt_as_cloud_native_pg_spells_it() {
        let written = json!({
            "instances": 3,
            "imageName": "postgresql:17.5",
            "imageCatalogRef": {
                "apiGroup": "postgresql.cnpg.io", "kind": "ClusterImageCatalog", "name": "catalogue", "major": 17,
            },
            "imagePullPolicy": "Always",
            "imagePullSecrets": [{"name": "pull"}],
            "postgresql": {"parameters": {"max_connections": "1024"}, "pg_hba": ["host all harbor all md5"]},
            "bootstrap": {"initdb": {
                "database": "core",
                "owner": "harbor",
                "secret": {"name": "access"},
                "dataChecksums": true,
                "postInitSQL": ["CREATE DATABASE more OWNER harbor"],
            }},
            "storage": {"size": "1Gi", "storageClass": "fast"},
            "resources": {"requests": {"cpu": "1"}},
        });

        let spec: PostgresClusterSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
        assert_eq!((&*PostgresCluster::kind(&()), &*PostgresCluster::plural(&())), ("Cluster", "clusters"));
    }
}
