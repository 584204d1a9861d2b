//! An existing store.

use api::v1beta1::{
    harbor::storage::{HarborStorageSpec, ObjectStoreSpec},
    harborcluster::storage::{StorageKind, StorageSettings, StorageSpec},
    storage::RedirectDisable,
};
use plan::PlanError;

/// The Harbor's settings for the store of this kind; settings of other kinds are ignored.
pub(super) fn settings(storage: &StorageSpec) -> Result<HarborStorageSpec, PlanError> {
    // MinIO and its access are in `super::minio`.
    let StorageSettings { minio: _, file_system, object_store, redirect } = &storage.spec;
    let ObjectStoreSpec { s3, swift, azure, gcs, oss } = object_store.clone();
    let none = ObjectStoreSpec::default;
    let (field, found) = match storage.kind {
        StorageKind::MinIO => ("minIO", None),
        StorageKind::FileSystem => ("fileSystem", file_system.is_some().then(none)),
        StorageKind::S3 => ("s3", s3.map(|s3| ObjectStoreSpec { s3: Some(s3), ..none() })),
        StorageKind::Swift => ("swift", swift.map(|swift| ObjectStoreSpec { swift: Some(swift), ..none() })),
        StorageKind::Azure => ("azure", azure.map(|azure| ObjectStoreSpec { azure: Some(azure), ..none() })),
        StorageKind::Gcs => ("gcs", gcs.map(|gcs| ObjectStoreSpec { gcs: Some(gcs), ..none() })),
        StorageKind::Oss => ("oss", oss.map(|oss| ObjectStoreSpec { oss: Some(oss), ..none() })),
    };
    let object_store = found.ok_or_else(|| missing(field, storage.kind))?;
    Ok(HarborStorageSpec {
        filesystem: file_system.clone().filter(|_| storage.kind == StorageKind::FileSystem),
        object_store,
        redirect: redirect.as_ref().map(|redirect| RedirectDisable { disable: !redirect.enable }),
        ..HarborStorageSpec::default()
    })
}

/// The error for a kind without its settings.
pub(super) fn missing(field: &str, kind: StorageKind) -> PlanError {
    PlanError::invalid(
        format_args!("spec.storage.spec.{field}"),
        format!("is required for kind {}", kind.as_str()),
        "set it, or choose another kind",
    )
}
