//! Settings of the storage other than the driver: cache, deletion, maintenance, redirects.

use super::Enabled;
use crate::{
    registry::driver::{Driver, Parameters},
    values::whole_seconds,
};
use api::v1beta1::{
    GoDuration, RegistrySpec,
    registry::storage::{BlobDescriptorCache, RegistryStorageSpec},
};
use plan::{All, PlanError};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Storage<'a> {
    /// One entry; its key is the name of the driver.
    #[serde(flatten)]
    driver: BTreeMap<&'static str, &'a Parameters>,
    cache: Cache,
    delete: Enabled,
    maintenance: Maintenance,
    redirect: Redirect,
}

#[derive(Serialize)]
struct Cache {
    blobdescriptor: &'static str,
}

/// All keys are lower case: the registry ignores others, and then purges uploads regardless of the settings.
#[derive(Serialize)]
struct Maintenance {
    uploadpurging: UploadPurging,
    readonly: Enabled,
}

/// All keys are always set: the registry does not start without one of them.
#[derive(Serialize)]
struct UploadPurging {
    enabled: bool,
    age: GoDuration,
    interval: GoDuration,
    dryrun: bool,
}

#[derive(Serialize)]
struct Redirect {
    disable: bool,
}

impl<'a> Storage<'a> {
    pub(super) fn of(registry: &RegistrySpec, driver: &'a Driver) -> Result<Self, PlanError> {
        let spec = &registry.storage;
        let (cache, uploadpurging) = (cache(registry), upload_purging(spec)).all()?;
        let read_only = spec.maintenance.as_ref().and_then(|maintenance| maintenance.read_only.as_ref());
        Ok(Self {
            driver: [(driver.name, &driver.parameters)].into(),
            cache,
            delete: Enabled { enabled: spec.delete.clone().unwrap_or_default().enabled },
            maintenance: Maintenance {
                uploadpurging,
                readonly: Enabled { enabled: read_only.is_some_and(|mode| mode.enabled) },
            },
            redirect: Redirect { disable: spec.redirect.as_ref().is_some_and(|redirect| redirect.disable) },
        })
    }
}

fn cache(registry: &RegistrySpec) -> Result<Cache, PlanError> {
    let requested = registry.storage.cache.as_ref().and_then(|cache| cache.blob_descriptor);
    let place = requested.unwrap_or(BlobDescriptorCache::InMemory);
    if place == BlobDescriptorCache::Redis && registry.redis.is_none() {
        return Err(PlanError::invalid(
            "spec.redis",
            "is not set although blob descriptors are to be cached there",
            "set it, or set spec.storage.cache.blobdescriptor to inmemory",
        ));
    }
    Ok(Cache { blobdescriptor: place.as_str() })
}

fn upload_purging(spec: &RegistryStorageSpec) -> Result<UploadPurging, PlanError> {
    let requested = spec.maintenance.as_ref().and_then(|maintenance| maintenance.upload_purging.clone());
    let requested = requested.unwrap_or_default();
    let field = |name| format!("spec.storage.maintenance.uploadPurging.{name}");
    (whole_seconds(&requested.age, field("age")), whole_seconds(&requested.interval, field("interval")))
        .all()?;
    Ok(UploadPurging {
        enabled: requested.enabled,
        age: requested.age,
        interval: requested.interval,
        dryrun: requested.dry_run,
    })
}
