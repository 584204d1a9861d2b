//! The PostgreSQL of a HarborCluster.

use crate::v1beta1::{image::ImageSpec, postgres::HarborDatabaseSpec};
use k8s_openapi::api::core::v1::ResourceRequirements;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PostgreSQL: one that exists, or one the operator runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.kind != 'PostgreSQL' || has(self.spec.postgresql)")
    .message("spec.postgresql: is required for kind PostgreSQL; set spec.postgresql.hosts"))]
#[x_kube(validation = Rule::new("self.kind != 'Zlando/PostgreSQL' || has(self.spec.zlandoPostgreSql)")
    .message("spec.zlandoPostgreSql: is required for kind Zlando/PostgreSQL; set spec.zlandoPostgreSql.operatorVersion"))]
pub struct DatabaseSpec {
    /// Which PostgreSQL: PostgreSQL for one that exists, Zlando/PostgreSQL (sic) for one the operator runs.
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("database.kind: cannot change after creation; create another HarborCluster"))]
    pub kind: DatabaseKind,

    /// Settings of that kind.
    pub spec: DatabaseSettings,
}

/// Which PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DatabaseKind {
    /// One that exists.
    #[serde(rename = "PostgreSQL")]
    PostgreSql,
    /// One the operator runs with Zalando's PostgreSQL operator.
    #[serde(rename = "Zlando/PostgreSQL")]
    ZalandoPostgreSql,
}

/// Settings of the PostgreSQL; those of another kind are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseSettings {
    /// Settings of kind PostgreSQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postgresql: Option<HarborDatabaseSpec>,

    /// Settings of kind Zlando/PostgreSQL.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "zlandoPostgreSql")]
    pub zalando_postgresql: Option<ZalandoPostgreSqlSpec>,
}

/// A PostgreSQL the operator runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZalandoPostgreSqlSpec {
    /// The image.
    #[serde(flatten)]
    pub image: ImageSpec,

    /// Version of the PostgreSQL operator this was written for. For information.
    pub operator_version: String,

    /// Number of servers. 3 unless set, or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i64>,

    /// Size of each volume. 1Gi unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,

    /// Class of the volumes. The default class of the cluster unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,

    /// Compute resources of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssl_config: Option<String>,

    /// Has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout: Option<i64>,
}
