//! The storage of a HarborCluster: an existing one, or a MinIO.

mod external;
mod minio;
#[cfg(test)]
mod tests;

use self::minio::Minio;
use super::cluster::Cluster;
use crate::connections::url_host;
use api::{
    thirdparty::minio::Tenant,
    v1beta1::{harbor::storage::HarborStorageSpec, harborcluster::storage::StorageKind},
};
use k8s_openapi::api::{
    core::v1::{PersistentVolumeClaim, Secret, Service},
    networking::v1::Ingress,
};
use plan::{Builder, Children, Deps, PlanError, World};

/// The storage, and the Harbor's settings for it.
pub(super) struct Storage {
    settings: HarborStorageSpec,
    /// The MinIO, unless the storage exists already.
    minio: Option<Minio>,
}

/// The kinds of its children.
pub(super) fn children(children: Children) -> Children {
    children.and::<Secret>().and::<PersistentVolumeClaim>().and::<Tenant>().and::<Service>().and::<Ingress>()
}

/// Whether a Harbor's storage is the MinIO of this cluster, by the name of the Secret with its keys, which
/// never changed.
pub(super) fn is_minio(cluster: &Cluster<'_>, storage: &HarborStorageSpec) -> bool {
    let s3 = storage.object_store.s3.as_ref();
    let keys = s3.and_then(|s3| s3.secret_key_ref.as_ref());
    keys.is_some_and(|keys| minio::name(cluster) == keys.as_str())
}

impl Storage {
    /// Validates the HarborCluster's settings for it.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let storage = &cluster.spec.storage;
        match storage.kind {
            StorageKind::MinIO => {
                let (settings, minio) = Minio::of(cluster, world)?;
                Ok(Self { settings, minio: Some(minio) })
            }
            StorageKind::S3
            | StorageKind::Swift
            | StorageKind::FileSystem
            | StorageKind::Azure
            | StorageKind::Gcs
            | StorageKind::Oss => Ok(Self { settings: external::settings(storage)?, minio: None }),
        }
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> &HarborStorageSpec {
        &self.settings
    }

    /// The host of a store that runs in this cluster, to which no proxy is needed.
    pub fn host(&self) -> Option<&str> {
        self.minio.as_ref()?;
        self.settings.object_store.s3.as_ref()?.region_endpoint.as_deref().map(url_host)
    }

    /// Adds its children. The Harbor waits for them.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {
        self.minio.map(|minio| minio.add(graph))
    }
}
