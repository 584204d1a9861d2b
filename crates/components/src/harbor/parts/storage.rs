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
    volume::RegistryPersistentVolumeSpec,
};

/// The name of the store in Harbor's web pages.
pub(super) fn provider(storage: &HarborStorageSpec) -> &'static str {
    let ObjectStoreSpec { s3, swift, azure, gcs, oss } = &storage.object_store;
    match () {
        () if s3.is_some() => "s3",
        () if swift.is_some() => "swift",
        () if azure.is_some() => "azure",
        () if gcs.is_some() => "gcs",
        () if oss.is_some() => "oss",
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
    // The registry's other settings of the storage are in `super::registry`.
    let HarborStorageSpec { filesystem, object_store, redirect: _, driver_options: _ } = storage;
    let ObjectStoreSpec { s3, swift, azure, gcs, oss } = object_store.clone();
    let filesystem = filesystem.as_ref().map(|filesystem| {
        let FilesystemSpec { registry_persistent_volume, chart_persistent_volume: _ } = filesystem;
        let RegistryPersistentVolumeSpec { volume, max_threads } = registry_persistent_volume;
        let (volume_source, prefix) = claim(volume);
        RegistryFilesystemSpec { volume_source, prefix, max_threads: *max_threads }
    });
    RegistryStorageDriverSpec { filesystem, s3, swift, azure, gcs, oss, in_memory: None }
}

/// The store of charts, which is that of images in ChartMuseum's terms.
pub(super) fn of_charts(storage: &HarborStorageSpec) -> ChartMuseumStorageSpec {
    let ObjectStoreSpec { s3, swift, azure, gcs, oss } = storage.object_store.clone();
    ChartMuseumStorageSpec {
        amazon: s3.map(amazon),
        azure,
        filesystem: storage.filesystem.as_ref().map(filesystem),
        gcs: gcs.map(self::gcs),
        openstack: swift.map(openstack),
        oss: oss.map(self::oss),
        max_storage_object: Some(0),
    }
}

fn filesystem(spec: &FilesystemSpec) -> ChartMuseumFilesystemSpec {
    let FilesystemSpec { registry_persistent_volume, chart_persistent_volume } = spec;
    let volume = chart_persistent_volume.as_ref().unwrap_or(&registry_persistent_volume.volume);
    let (volume_source, prefix) = claim(volume);
    ChartMuseumFilesystemSpec { volume_source, prefix }
}

fn amazon(spec: S3Spec) -> ChartMuseumAmazonSpec {
    let S3Spec {
        region,
        bucket,
        access_key,
        access_key_ref,
        secret_key_ref,
        region_endpoint,
        root_directory,
        // In `super::chartmuseum`.
        certificate_ref: _,
        // ChartMuseum has no such settings.
        storage_class: _,
        key_id: _,
        encrypt: _,
        skip_verify: _,
        secure: _,
        v4_auth: _,
        chunk_size: _,
        multipart_copy_chunk_size: _,
        multipart_copy_max_concurrency: _,
        multipart_copy_threshold_size: _,
    } = spec;
    ChartMuseumAmazonSpec {
        bucket,
        endpoint: region_endpoint,
        prefix: root_directory,
        region: Some(region),
        access_key_id: access_key,
        access_key_ref,
        access_secret_ref: secret_key_ref,
        server_side_encryption: None,
    }
}

fn gcs(spec: GcsSpec) -> ChartMuseumGcsSpec {
    let GcsSpec { key_data_ref, bucket, path_prefix, chunk_size } = spec;
    ChartMuseumGcsSpec {
        bucket: bucket.unwrap_or_default(),
        key_data_secret_ref: key_data_ref.unwrap_or_default(),
        path_prefix,
        chunk_size,
    }
}

fn openstack(spec: SwiftSpec) -> ChartMuseumOpenstackSpec {
    let SwiftSpec {
        auth_url,
        container,
        username,
        password_ref,
        region,
        tenant,
        tenant_id,
        domain,
        domain_id,
        prefix,
        // ChartMuseum has no such settings.
        trust_id: _,
        access_key: _,
        access_key_ref: _,
        secret_key_ref: _,
        auth_version: _,
        insecure_skip_verify: _,
        chunk_size: _,
        endpoint_type: _,
    } = spec;
    ChartMuseumOpenstackSpec {
        authentication_url: auth_url,
        container,
        domain,
        domain_id,
        username,
        user_id: None,
        password_ref,
        prefix,
        region,
        tenant,
        tenant_id,
    }
}

fn oss(spec: OssSpec) -> ChartMuseumOssSpec {
    let OssSpec {
        region,
        bucket,
        access_key_id,
        access_secret_ref,
        endpoint,
        internal,
        path_prefix,
        // ChartMuseum has no such settings.
        encrypt: _,
        secure: _,
        chunk_size: _,
    } = spec;
    let network = if internal { "-internal" } else { "" };
    let endpoint = endpoint.unwrap_or_else(|| format!("{region}{network}.aliyuncs.com"));
    ChartMuseumOssSpec { bucket, endpoint, access_key_id, access_secret_ref, path_prefix }
}
