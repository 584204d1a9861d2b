//! The PostgreSQL of a HarborCluster.

use crate::v1beta1::{
    image::{ImagePullPolicy, ImageSpec},
    name::ObjectName,
    postgres::{HarborDatabaseSpec, PostgresSslMode},
};
use k8s_openapi::api::core::v1::{LocalObjectReference, ResourceRequirements};
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
    /// Which PostgreSQL: PostgreSQL for one that exists; Zlando/PostgreSQL (sic) or CloudNativePG for one that is run
    /// beside Harbor, by Zalando's PostgreSQL operator or by CloudNativePG, which must be installed.
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
    /// One the operator runs with CloudNativePG.
    #[serde(rename = "CloudNativePG")]
    CloudNativePg,
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

    /// Settings of kind CloudNativePG.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "cloudNativePG")]
    pub cloud_native_pg: Option<CloudNativePgSpec>,
}

/// A PostgreSQL that Zalando's operator runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZalandoPostgreSqlSpec {
    /// Full image reference, registry and tag included. That of Zalando's operator unless set; a cluster that exists
    /// keeps its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,

    /// Has no effect: a postgresql resource has no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ImagePullPolicy")]
    pub image_pull_policy: Option<ImagePullPolicy>,

    /// Has no effect: a postgresql resource has no such field. Name the Secrets in the ServiceAccount that the servers
    /// run as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_pull_secrets: Vec<LocalObjectReference>,

    /// Major version of PostgreSQL in a new cluster. 15 unless set, or the next one that the installed operator knows. A
    /// cluster that exists keeps its own: to upgrade it, change the version in the postgresql resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub version: Option<String>,

    /// Secret in which Zalando's operator keeps the password of the user harbor, in its key `password`. To be set where
    /// that operator has a secret_name_template of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_ref: Option<ObjectName>,

    /// How TLS protects connections of Harbor. prefer unless set: TLS, which the servers always offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PostgresSslMode")]
    pub ssl_mode: Option<PostgresSslMode>,

    /// Version of the PostgreSQL operator this was written for. For information; has no effect.
    pub operator_version: String,

    /// Number of servers. 3 unless set, or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i64>,

    /// Size of each volume. 1Gi unless set. It can grow, and never shrink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,

    /// Class of the volumes. The default class of the cluster unless set. It cannot change.
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

/// A PostgreSQL that CloudNativePG runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("!has(self.image) || !has(self.imageCatalogRef)")
    .message("imageCatalogRef: cannot be set together with image; keep one of them"))]
pub struct CloudNativePgSpec {
    /// The image. That of CloudNativePG unless set.
    #[serde(flatten)]
    pub image: ImageSpec,

    /// Catalogue of images to take the image of a major version from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_catalog_ref: Option<ImageCatalogReference>,

    /// Number of servers. 3 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub instances: Option<i32>,

    /// Size of each volume. 1Gi unless set. It can grow, and never shrink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,

    /// Class of the volumes. The default class of the cluster unless set. It cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class_name: Option<String>,

    /// Compute resources of each server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,

    /// How TLS protects connections of Harbor. require unless set. The modes that check who the server is need the
    /// authority of CloudNativePG among certificateRefs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PostgresSslMode")]
    pub ssl_mode: Option<PostgresSslMode>,
}

/// A major version in a catalogue of images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageCatalogReference {
    /// Kind of the catalogue. ClusterImageCatalog unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ImageCatalogKind")]
    pub kind: Option<ImageCatalogKind>,

    /// Name of the catalogue.
    pub name: String,

    /// Major version of PostgreSQL, such as 17.
    pub major: i32,
}

/// Kind of a catalogue of images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ImageCatalogKind {
    /// One of the namespace.
    ImageCatalog,
    /// One of the whole cluster.
    #[default]
    ClusterImageCatalog,
}
