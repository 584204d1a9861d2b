//! The stores of images and charts.

use super::jobservice::claim;
use api::v1beta1::{
    chartmuseum::storage::{
        ChartMuseumAmazonSpec, ChartMuseumFilesystemSpec, ChartMuseumGcsSpec, ChartMuseumOpenstackSpec,
        ChartMuseumOssSpec, ChartMuseumStorageSpec,
    },
    harbor::{
        HarborStorageSpec,
        storage::{FilesystemSpec, ObjectStoreSpec},
    },
    registry::storage::{RegistryFilesystemSpec, RegistryStorageDriverSpec},
    storage::{GcsSpec, OssSpec, S3Spec, SwiftSpec},
};

/// The name of the store in Harbor's web pages.
pub(super) fn provider(storage: &HarborStorageSpec) -> &'static str {
    let stores = &storage.object_store;
    match () {
        () if stores.s3.is_some() => "s3",
        () if stores.swift.is_some() => "swift",
        () if stores.azure.is_some() => "azure",
        () if stores.gcs.is_some() => "gcs",
        () if stores.oss.is_some() => "oss",
        () => "filesystem",
    }
}

/// The endpoint of the store, if the spec sets one.
pub(in crate::harbor) fn endpoint(storage: &HarborStorageSpec) -> Option<&str> {
    let ObjectStoreSpec { s3, swift, azure, gcs: _, oss } = &storage.object_store;
    let s3 = s3.as_ref().and_then(|s3| s3.region_endpoint.as_deref());
    let swift = swift.as_ref().map(|swift| swift.auth_url.as_str());
    let azure = azure.as_ref().map(|azure| azure.base_url.as_str());
    let oss = oss.as_ref().and_then(|oss| oss.endpoint.as_deref());
    s3.or(swift).or(azure).or(oss)
}

/// The store of images.
pub(crate) fn of_images(storage: &HarborStorageSpec) -> RegistryStorageDriverSpec {
    let stores = storage.object_store.clone();
    let filesystem =
        storage.filesystem.as_ref().map(|FilesystemSpec { registry_persistent_volume, .. }| {
            RegistryFilesystemSpec {
                volume_source: claim(&registry_persistent_volume.volume),
                prefix: registry_persistent_volume.volume.prefix.clone(),
                max_threads: registry_persistent_volume.max_threads,
            }
        });
    RegistryStorageDriverSpec {
        filesystem,
        s3: stores.s3,
        swift: stores.swift,
        azure: stores.azure,
        gcs: stores.gcs,
        oss: stores.oss,
        in_memory: None,
    }
}

/// The store of charts, which is that of images in ChartMuseum's terms.
pub(super) fn of_charts(storage: &HarborStorageSpec) -> ChartMuseumStorageSpec {
    let stores = &storage.object_store;
    ChartMuseumStorageSpec {
        amazon: stores.s3.as_ref().map(amazon),
        azure: stores.azure.clone(),
        filesystem: storage.filesystem.as_ref().map(filesystem),
        gcs: stores.gcs.as_ref().map(gcs),
        openstack: stores.swift.as_ref().map(openstack),
        oss: stores.oss.as_ref().map(oss),
        max_storage_object: Some(0),
    }
}

fn filesystem(spec: &FilesystemSpec) -> ChartMuseumFilesystemSpec {
    let volume = spec.chart_persistent_volume.as_ref().unwrap_or(&spec.registry_persistent_volume.volume);
    ChartMuseumFilesystemSpec { volume_source: claim(volume), prefix: volume.prefix.clone() }
}

fn amazon(spec: &S3Spec) -> ChartMuseumAmazonSpec {
    ChartMuseumAmazonSpec {
        bucket: spec.bucket.clone(),
        endpoint: spec.region_endpoint.clone(),
        prefix: spec.root_directory.clone(),
        region: Some(spec.region.clone()),
        access_key_id: spec.access_key.clone(),
        access_key_ref: spec.access_key_ref.clone(),
        access_secret_ref: spec.secret_key_ref.clone(),
        server_side_encryption: None,
    }
}

fn gcs(spec: &GcsSpec) -> ChartMuseumGcsSpec {
    ChartMuseumGcsSpec {
        bucket: spec.bucket.clone().unwrap_or_default(),
        key_data_secret_ref: spec.key_data_ref.clone().unwrap_or_default(),
        path_prefix: spec.path_prefix.clone(),
        chunk_size: spec.chunk_size.clone(),
    }
}

fn openstack(spec: &SwiftSpec) -> ChartMuseumOpenstackSpec {
    ChartMuseumOpenstackSpec {
        authentication_url: spec.auth_url.clone(),
        container: spec.container.clone(),
        domain: spec.domain.clone(),
        domain_id: spec.domain_id.clone(),
        username: spec.username.clone(),
        user_id: None,
        password_ref: spec.password_ref.clone(),
        prefix: spec.prefix.clone(),
        region: spec.region.clone(),
        tenant: spec.tenant.clone(),
        tenant_id: spec.tenant_id.clone(),
    }
}

fn oss(spec: &OssSpec) -> ChartMuseumOssSpec {
    let network = if spec.internal { "-internal" } else { "" };
    ChartMuseumOssSpec {
        bucket: spec.bucket.clone(),
        endpoint: spec.endpoint.clone().unwrap_or_else(|| format!("{}{network}.aliyuncs.com", spec.region)),
        access_key_id: spec.access_key_id.clone(),
        access_secret_ref: spec.access_secret_ref.clone(),
        path_prefix: spec.path_prefix.clone(),
    }
}
